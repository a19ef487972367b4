"""Plans as a text file that can live in version control: TOML, which the standard library reads.

`entries` says what a file holds, `writing` and `reading` turn it into text and back, `comparing`
and `concerned` look at two of them, `stored` reads what is in the database, `importing` puts a file
there. All but the last two are pure.
"""
