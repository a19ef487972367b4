"""The demo: an API for reports with three tenants. Never imported by `quotas`."""
