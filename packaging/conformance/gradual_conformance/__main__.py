"""`python -m gradual_conformance`, the same as the console script `gradual-conformance`."""

from gradual_conformance.conformance.commands.standalone import main

if __name__ == "__main__":
    main()
