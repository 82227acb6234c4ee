"""A value of one type used at another: the constraints that make them consistent, and the coercion that remains.

`flow` is the rule for every place where a value meets a written type (argument, result, annotation), `ascription`
that of a cast. Functions and references become `proxies`, data are converted part by part (`data`); `instantiation`
and `agreement` solve type parameters. Consistency is that of Siek and Taha (2006); proxies compose in normal form
as in Herman, Tomb and Flanagan (2010), with blame as in Wadler and Findler (2009). Spec chapters 5 and 6.
"""
