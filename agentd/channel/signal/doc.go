// Package signal is the channel of Signal: an account that signal-cli holds on the server itself, and that it speaks for by JSON-RPC and
// by events over HTTP on loopback. Nothing has to reach the server from outside, and there is no secret: whoever may speak to signal-cli
// there may use the account.
//
// Who a sender is, Signal says: the id of their account, which stays when their number or their name changes. signal-cli takes messages
// from Signal only while somebody listens to its events, so what is written while this program is away stays at Signal. In groups what
// names the account or answers it is read, and everything else is forgotten at once.
//
// Change here: how events are read, files are fetched and answers look, what refusals of signal-cli mean. Not here: who may write, what
// becomes of a message, when it is sent (agentd/channel).
// May import: agentd/channel, agentd/gate, agentd/tool, agentd/wire, google/uuid. Used by: agentd.
// Proof: go test ./agentd/channel/signal
package signal
