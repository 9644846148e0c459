module identity-and-wallets/client

go 1.19
