// Package discordtest gives tests a server that speaks Discord's API and gateway, version 10, on loopback: one bot, the people and groups
// that write to it, what the bot has sent; and it answers badly where a test asks for that.
//
// Change here: the protocol as Discord documents it. Not here: what must hold (the tests that use it).
// May import: the standard library, coder/websocket. Used by: tests only. Proof: go test ./agentd/channel/discord/...
package discordtest
