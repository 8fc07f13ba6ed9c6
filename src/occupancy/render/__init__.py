"""Lays out documents and rows: text, Markdown, HTML, CSV, JSON, pictures, what a CI service reads.

It knows no command, and holds no word of one; of the package it uses `values` alone.
"""
