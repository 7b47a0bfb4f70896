"""B1: the raw bits, by NIST SP 800-22 and by linear algebra over GF(2).

A test is a plain function of bits and gives its statistic, what it counted and a p-value. Where the
document's constants are known to be approximate the exact ones are the default, and the document's
own can be asked for: its worked examples are reproduced with these.
"""
