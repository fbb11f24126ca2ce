"""`make site`: the documents of this repository and a gallery of reports as pages that open from the file system."""
