// Package telegram is the channel of Telegram: a bot whose messages the server asks for, so that nothing has to reach the server from
// outside.
//
// Who a sender is, Telegram says: the number of their account, which stays whatever they call themselves. An update counts as taken at
// Telegram only when it is durable here, so none is lost with this process. In groups the bot reads what is addressed to it, and forgets
// everything else at once.
//
// Change here: how updates are read, files are fetched and answers look, what Telegram's refusals mean. Not here: who may write, what
// becomes of a message, when it is sent (agentd/channel).
// May import: agentd/channel, agentd/gate, agentd/redact, agentd/tool, agentd/wire, go-telegram/bot. Used by: agentd.
// Proof: go test ./agentd/channel/telegram
package telegram
