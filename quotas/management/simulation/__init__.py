"""What `quotas_simulate` is asked, and how it answers: `options`, then `rows` or a `report`."""
