// Package email is the channel of e-mail: it reads a mailbox by IMAP and waits for mail there, and answers by SMTP.
//
// Who a sender is, the mailbox's own server says: its topmost Authentication-Results, and no other header. A mail that a machine has
// sent is never answered, and none of this mailbox's own. What the mailbox holds is not changed: nothing is deleted, moved or marked
// as read.
//
// Change here: settings of mailboxes, how mails are read, who a sender is, how answers look. Not here: who may write, what becomes of
// a message, when it is sent (agentd/channel).
// May import: agentd/channel, agentd/gate, agentd/policy, agentd/tool, agentd/vault/secret, agentd/wire, go-imap, go-mail, go-message,
// golang.org/x/net. Used by: agentd. Proof: go test ./agentd/channel/email
package email
