"""The sections of a report, a file each; `reports.report` puts them in order."""
