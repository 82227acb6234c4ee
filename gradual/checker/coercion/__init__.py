"""Coercion of a value to another type: the constraints that make the types consistent, and the steps inserted.

`flow` is the rule wherever a value meets a written type (argument, result, annotation), `ascription` the rule of
casts. Functions and references become `proxies`, data are converted part by part (`data`); `instantiation` and
`agreement` solve type parameters. Consistency is that of Siek and Taha (2006); proxies compose in normal form
as in Herman, Tomb and Flanagan (2010), with blame as in Wadler and Findler (2009). Spec chapters 5 and 6.
"""
