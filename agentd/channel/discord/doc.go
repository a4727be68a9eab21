// Package discord is the channel of Discord: a bot that is connected to Discord's gateway, so that nothing has to reach the server from
// outside.
//
// Who a sender is, Discord says: the number of their account, which stays whatever they call themselves. What happened counts as taken
// only when it is durable here: after a break, of the connection or of this process, the session goes on from there, and once Discord has
// forgotten the session the private chats are read from there. In groups, which at Discord are the channels of its servers, the bot reads
// what names it, and forgets everything else at once; it does not ask Discord for the rest.
//
// Change here: how events are read, files are fetched and answers look, what Discord's refusals mean. Not here: who may write, what
// becomes of a message, when it is sent (agentd/channel).
// May import: agentd/channel, agentd/gate, agentd/tool, agentd/wire, coder/websocket. Used by: agentd.
// Proof: go test ./agentd/channel/discord
package discord
