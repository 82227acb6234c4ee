"""The requests of the protocol about whole texts, workspaces and models; `server` has those about places in a text."""
