// Package slack is the channel of Slack: an app that is connected to Slack by Socket Mode, so that nothing has to reach the server from
// outside.
//
// Who a sender is, Slack says: the id of their account, which stays whatever they call themselves. Slack is told that something has come
// only when it is durable here, and brings it again otherwise; what it has given up bringing is read from the private chats. In groups,
// which are Slack's channels, the app reads what names it, and is told of nothing else.
//
// Change here: how events are read, files are fetched and answers look, what Slack's refusals mean. Not here: who may write, what becomes
// of a message, when it is sent (agentd/channel).
// May import: agentd/channel, agentd/gate, agentd/tool, agentd/wire, coder/websocket. Used by: agentd.
// Proof: go test ./agentd/channel/slack
package slack
