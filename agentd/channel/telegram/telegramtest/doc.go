// Package telegramtest gives tests a server that speaks the Bot API of Telegram on loopback: one bot, the people and groups that write to
// it, what the bot has sent; and it answers badly where a test asks for that.
//
// Change here: the protocol as Telegram documents it. Not here: what must hold (the tests that use it).
// May import: the standard library. Used by: tests only. Proof: go test ./agentd/channel/telegram/...
package telegramtest
