package frame

import (
	"strings"

	"gatehouse/views/portal"
)

// StreamOf is the address of the stream for a page; topic may carry parameters of its own.
func StreamOf(topic string) string {
	if topic == "" {
		return portal.Stream
	}
	return portal.Stream + "?on=" + topic
}

// awayStream tells the stream that the page says the server is away, and whether it is bare: lacks something that the
// stream does not bring.
func awayStream(stream string, bare bool) string {
	away := "away=1"
	if bare {
		away = "away=bare"
	}
	if strings.Contains(stream, "?") {
		return stream + "&" + away
	}
	return stream + "?" + away
}
