// Package channel lets people write to the team by ways other than the portal, and answers them there: who may, what becomes of what
// they write, what is sent and at most once.
//
// A message, the mark by which it is known again, its receipt and its run are one transaction. What anybody but the paired owner writes
// is content from outside: the run stands behind it from its first moment and reads it between marks. What the owner writes counts as
// the owner's own only where the channel knows for sure that it is theirs.
//
// What is sent passes the gate as a call of the tool channel_send, which no model sees: an answer to the owner goes out, one to
// anybody else is asked about. A call belongs to one row of the outbox and can say nothing else. A process that is killed between the
// provider's yes and the record of it leaves a message of which nobody knows whether it was sent; it is not sent again.
//
// A channel that is open to everybody is one for strangers (strange.go): their runs may do nothing but talk (agentd/team), an answer to
// them is asked about unless the owner has signed that it is not (reply.go), and they can stop it, have a person, or have all deleted
// (erase.go).
//
// A provider that brings messages does so at an address of the hub that this server made up (hook.go). It is told that a message was taken
// once that is durable, and what it says later about a message that was sent is noted (report.go).
//
// Files go with answers as copies that were made when the answer was written (enclose.go, sentfile.go): what is judged, allowed and sent is
// the same bytes, or nothing.
//
// A request for approval is put to the owner's paired identities where the owner chose so (ask.go), and what they answer is a decision
// that the gate judges like one of the portal (command.go).
//
// Change here: people, pairing, strangers, commands, requests by a channel, inbound and outbound messages, how a channel is kept running.
// Not here: a provider (agentd/channel/…), who may decide what (agentd/gate), how runs work (agentd/runtime), what leaves
// (agentd/egress).
// May import: agentd/failpoint, agentd/gate, agentd/policy, agentd/receipt, agentd/redact, agentd/rpc, agentd/store, agentd/tool,
// agentd/vault/secret, agentd/wire, google/uuid. Used by: agentd, agentd/channel/email, cmd/agentd.
// If you change a table, add a migration in agentd/store/migrations. Proof: go test ./agentd/channel/...
package channel
