"""Specifications of charts for Vega-Lite, one file per kind: the same one draws in the browser, on paper and in files.

A kind gets numbers and words and returns a plain dictionary. Words of strangers are data in it, never expressions.
"""
