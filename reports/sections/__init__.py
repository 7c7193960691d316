"""The sections of a report, a file each; `reports.build` puts them in order."""
