package ui

// aliases let components ask for what a symbol means; the sprite holds each drawing once.
var aliases = map[string]string{
	"back": "arrow", "next": "arrow", "down": "arrow",
	"deny": "cross", "close": "cross",
	"ask": "chat", "scale": "shield", "dots": "more",
	"shield-alert": "alert", "spark": "logo",
	"role-dispatch": "handoff", "role-it": "server", "role-desk": "mail", "role-agent": "person",
}

// symbol is the id of the drawing for name.
func symbol(name string) string {
	if to, ok := aliases[name]; ok {
		name = to
	}
	return "#i-" + name
}
