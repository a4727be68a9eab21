package hx

// Config is the content of the page's meta tag named htmx-config. No style is injected, as the content policy forbids
// it; open panels stay open when a pushed part is morphed in; a decided card goes onward only (static/js/onward.js); 403
// and 5xx of the stream are the script's business.
const Config = `{"includeIndicatorCSS":false,"extensions":"sse,onward","morphIgnore":["data-htmx-powered","open"],"defaultFocusScroll":false}`
