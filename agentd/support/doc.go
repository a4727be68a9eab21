// Package support lets staff of the operator look at content of this server, and only while a support window is open that a key
// of the owner has signed. A window names its purpose, the kinds of content, the keys of the staff who may look, and how many
// hours it is open by this server's own clock. Closing it takes no signature.
//
// Each look is signed by a key that the window names, fresh and once, together with a key for the box of the answer. So who
// carries it can neither ask by itself nor read what is answered. A look is on record, here and at the hub, before any content
// is read; so is one that is refused. What is shown passes redaction, and then travels sealed.
//
// Change here: what a window opens, what a look needs and shows. Not here: which keys are the owner's (agentd/approver), the
// texts that are signed (agentd/wire/support.go), pages (app/web/portal/support, app/web/admin).
// May import: agentd/approver, agentd/container, agentd/policy/canonical, agentd/receipt, agentd/redact, agentd/rpc, agentd/store,
// agentd/wire, google/uuid. Used by: agentd. Proof: go test ./agentd/support
package support
