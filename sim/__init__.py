"""Play card games fast: millions of games, the same bytes for the same plan and seed."""
