"""The evidence bundle: what a laboratory needs to certify a dealer's generator, and to repeat it.

Layout and requirements are those of the certification text; every verdict in it is worked out
from figures in the same folder. Same inputs and the same SOURCE_DATE_EPOCH give the same bytes.
"""
