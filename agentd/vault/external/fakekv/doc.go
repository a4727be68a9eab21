// Package fakekv is an external vault for tests: KV version 2, AppRole and the token methods as HashiCorp Vault and OpenBao
// speak them, status codes and bodies included, and ways to answer badly.
//
// Change here: what an external vault can do to agentd. Not here: the tests.
// May import: the standard library. Used by: tests only.
package fakekv
