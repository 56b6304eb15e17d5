"""The pages, a module a step; each takes a request and gives an answer."""
