package static

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"mime"
	"path"
	"strings"
	"sync"
)

//go:embed css/*.css js/*.js vendor/*.js icon/*.png sprite.svg favicon.svg
var files embed.FS

// Prefix is where the assets are served.
const Prefix = "/assets/"

// asset is one file as it is served.
type asset struct {
	hashed string // app.2f9c….css
	mime   string
	body   []byte
	packed func() packed // compressed forms, made on first use
}

// builders make the assets from their parts.
var builders = map[string]func() []byte{
	"app.css":     style,
	"chart.css":   func() []byte { return read("css/chart.css") }, // only pages with charts load it
	"app.js":      script,
	"private.js":  func() []byte { return scope(private) },
	"files.js":    func() []byte { return scope(shelf) },
	"support.js":  func() []byte { return scope(support) },
	"hook.js":     func() []byte { return scope(hook) },
	"channel.js":  func() []byte { return scope(channel) },
	"sprite.svg":  func() []byte { return read("sprite.svg") },
	"favicon.svg": func() []byte { return read("favicon.svg") },

	"icon-192.png":     func() []byte { return read("icon/icon-192.png") },
	"icon-512.png":     func() []byte { return read("icon/icon-512.png") },
	"maskable-512.png": func() []byte { return read("icon/maskable-512.png") },
	"apple-180.png":    func() []byte { return read("icon/apple-180.png") },
	"badge-96.png":     func() []byte { return read("icon/badge-96.png") },
}

var assets = sync.OnceValue(func() map[string]*asset {
	all := make(map[string]*asset, len(builders))
	for name, build := range builders {
		all[name] = newAsset(name, mime.TypeByExtension(path.Ext(name)), build())
	}
	return all
})

func newAsset(name, kind string, body []byte) *asset {
	return &asset{hashed: hashedName(name, body), mime: kind, body: body, packed: sync.OnceValue(func() packed { return pack(body) })}
}

// Path is the address of an asset, to be put into a page: Path("app.css"). An asset that does not exist has an address
// that answers 404, as a link to any missing file would.
func Path(name string) string {
	if a, ok := assets()[name]; ok {
		return Prefix + a.hashed
	}
	return Prefix + name
}

// hashedName puts the content's hash between name and ending.
func hashedName(name string, body []byte) string {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + base64.RawURLEncoding.EncodeToString(sum[:9]) + ext
}
