"""`tacit serve`: a page in the browser that takes a person from data to a release, and the same as an HTTP API.

Everything is rendered here and works without JavaScript. What is clicked becomes the job file of a project, which is
all that a run reads: `tacit anonymize` makes the same of it. Whatever takes long runs in a process of its own.
"""
