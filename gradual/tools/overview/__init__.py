"""`gradual report`: one page of HTML about a program or a model.

Each file makes one section of the page, and `page.py` the page;
`page.css` and `page.js` are its style and its script, besides those of `gradual/interface/document.py`.
"""
