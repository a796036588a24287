"""The documentation: its generated parts, its checks, and the web site made from its pages.

It works in a checkout only, because pip does not install the pages. It owns the generated pages and parts in docs/.
"""
