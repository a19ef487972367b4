"""The OpenAPI 3.1 document of what programs read: usage and denied calls as JSON, history as CSV.

Written by hand beside the code that answers: its words are the vocabularies of the code, and tests
hold every answer against it. In English alone, as its readers are programs and whoever writes them.
"""
