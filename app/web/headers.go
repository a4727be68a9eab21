package web

import "github.com/labstack/echo/v4"

// policy is the Content-Security-Policy of every answer: nothing inline, nothing from elsewhere. The two addresses are
// where a payment page takes over, as browsers apply form-action to redirects too.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'; form-action 'self' https://checkout.stripe.com https://billing.stripe.com"

// powers switches every browser feature off that a page could ask for.
const powers = "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), encrypted-media=(), " +
	"fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), " +
	"payment=(), picture-in-picture=(), publickey-credentials-get=(self), screen-wake-lock=(), serial=(), usb=(), " +
	"xr-spatial-tracking=()"

// harden sets the headers that every answer carries. Private is the default; routes and assets that may be cached say
// so themselves.
func (h *host) harden(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		set := c.Response().Header().Set
		set("Content-Security-Policy", policy+h.payAt)
		set("X-Content-Type-Options", "nosniff")
		set("Referrer-Policy", "no-referrer")
		set("Cross-Origin-Opener-Policy", "same-origin")
		set("Cross-Origin-Resource-Policy", "same-origin")
		set("Permissions-Policy", powers)
		set("Cache-Control", "no-store")
		if h.cfg.BehindTLS {
			set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		return next(c)
	}
}
