// Package httprequest is the tool http_request: requests to registered business tools, in this process, with the
// sign-in that the registry names. Secrets are put in here, between the decision and the wire, and nowhere else: into
// the header of the sign-in and into fields of a JSON or form body, where they are bound to.
//
// It connects to registered hosts and ports alone, to addresses that fit them, follows no redirect, knows no proxy and
// keeps no connection. What comes back is from outside, cut to a budget, and loses the values that went out with it.
//
// Change here: how a request is built and sent. Not here: what it would change (agentd/policy), where secrets may be
// used (agentd/vault), which tools there are (agentd/tools/registry), which addresses are off limits (agentd/netguard).
// May import: agentd/gate, agentd/netguard, agentd/policy, agentd/redact, agentd/tool, agentd/tools/registry, agentd/vault,
// agentd/vault/secret, agentd/wire. Used by: agentd. Proof: go test ./agentd/tools/httprequest
package httprequest
