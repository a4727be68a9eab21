package vault

import "gatehouse/agentd/vault/secret"

// shortest is how many bytes a value has that can be told from other text wherever it stands.
const shortest = 8

// Short says whether a value is hidden only where its name stands beside it. Whoever hands it in is warned.
func Short(v secret.Value) bool { return len(v.Reveal()) < shortest }
