package redact

import (
	"fmt"
	"regexp"
	"strings"
)

// prefixTable are forms that are a literal and one run of characters: the kind, the literal, the alphabet and the fewest
// characters. The sign ~ behind an alphabet says that words are made of it too, so that only a tail made by chance counts;
// the sign ! says so and that the number of characters is exact.
//
//	hex  small hexadecimal digits      any   letters and digits
//	low  small letters and digits      sign  those, _ and -
//	cap  capitals and digits           b64   those of base64
//	uuid a UUID
const prefixTable = `
aiven-token AVNS_ sign 17
adafruit-key aio_ any 24
akamai-token akab- low 16
appsync-key da2- low 26
apify-token apify_api_ any 30
axiom-token xaat- uuid 36
axiom-token xapt- uuid 36
baseten-key bt_sk_ any 20
backblaze-key K000 b64 27
backblaze-key K001 b64 27
backblaze-key K002 b64 27
backblaze-key K003 b64 27
backblaze-key K004 b64 27
backblaze-key K005 b64 27
browserbase-key bb_live_ sign 20
buildkite-token bkpt_ any 30
buildkite-token bkaj_ any 30
cal-key cal_live_ any 24
canva-secret cnvca sign 40
cerebras-key csk- low 40
brave-key BSA sign! 28
chief-token ctp_ any 36
chief-token cto_ any 36
circleci-token CCIPRJ_ sign 40
fullstory-key na1. b64~ 40
discord-token mfa. sign~ 80
anyscale-key esecret_ low 30
elastic-key essu_ b64= 40
honeybadger-key hba_ any 30
honeybadger-key hbo_ any 30
honeybadger-key hbp_ any 30
honeybadger-key hbu_ any 30
hop-token ptk_ any 36
paserk k4.local. sign 40
paserk k4.secret. sign 80
paseto v2.local. sign 60
paseto v2.public. sign 60
paseto v3.local. sign 60
paseto v3.public. sign 60
paseto v4.local. sign 60
paseto v4.public. sign 60
netbird-token nbp_ any 30
notify-key gcntfy- sign 60
ntfy-token tk_ low 29
openai-session sess- any 40
cloudflare-token cfut_ any 40
cloudflare-token cfat_ any 40
cloudflare-token cfk_ any 40
cockroach-key CCDB1_ sign 40
composio-key ak_ any~ 20
confluent-secret cflt b64 56
databricks-token dose hex 32
databricks-token dkea hex 32
datastax-token AstraCS: b64: 40
deno-token ddp_ any 30
deno-token ddo_ any 30
digitalocean-spaces-id DO00 cap 16
dub-key dub_ any 20
e2b-key e2b_ hex 40
e2b-key sk_e2b_ hex 40
elevenlabs-key sk_ hex 48
fauna-secret fnA sign! 37
figma-token figo_ sign 30
figma-token figor_ sign 30
figma-token figoh_ sign 30
firecrawl-key fc- hex 32
gcp-hmac-id GOOG1E cap 50
gitbook-token gb_api_ any 36
google-auth-code 4/0A sign 40
honeycomb-key hcaik_ low 58
honeycomb-key hcxik_ low 58
honeycomb-key hcalk_ low 58
honeycomb-key hcxlk_ low 58
honeycomb-key hcamk_ any 30
honeycomb-key hcxmk_ any 30
inngest-key signkey- sign~ 40
ionic-token ion_ any 40
jina-key jina_ sign 50
jetbrains-token perm: b64=. 40
jetbrains-token perm- b64=. 40
lichess-token lip_ any 20
linkedin-secret WPL_AP1. b64= 16
linkedin-secret WPL_AP0. b64= 16
llamacloud-key llx- any 40
mailersend-token mlsn. hex 64
mandrill-key md- sign! 22
mercury-token secret-token: sign 30
metabase-key mb_ b64=~ 44
mongodb-atlas-secret mdb_sa_sk_ sign 30
nostr-key nsec1 low 58
neon-key neon_api_ any 30
neon-password npg_ any 12
netlify-token nfc_ any 36
netlify-token nfo_ any 36
netlify-token nfb_ any 36
netlify-token nfu_ any 36
newrelic-key NRAA- any 27
newrelic-key NRRA- any 27
nightfall-key NF- any~ 32
onesignal-key os_v2_app_ low 60
onesignal-key os_v2_org_ low 60
openvsx-token ovsxp_ uuid 36
openvsx-token ovsxat_ uuid 36
paddle-key pdl_live_ sign 40
paddle-key pdl_sdbx_ sign 40
paddle-secret pdl_ntfset_ sign 40
persona-key persona_production_ sign 20
persona-key persona_sandbox_ sign 20
pinterest-token pina_ any 32
polar-token polar_oat_ sign 30
polar-token polar_pat_ sign 30
porkbun-key sk1_ hex 64
porkbun-key pk1_ hex 64
postman-key PMAT- cap 26
posthog-key phs_ any 40
quicknode-key QN_ hex 32
ramp-secret ramp_sec_ any 30
riot-key RGAPI- uuid 36
rootly-token rootly_ hex 64
runpod-key rpa_ any 36
samsara-token samsara_api_ any 24
scaleway-id SCW cap 17
segment-token sgp_ any 60
shopify-token shpua_ any 30
shopify-token shpit_ any 30
slack-token xwfp- sign 30
stackhawk-key hawk. b64. 36
statsig-key secret- any 40
stytch-secret secret-live- b64= 36
stytch-secret secret-test- b64= 36
svix-key testsk_ any 30
together-key tgp_v1_ sign 40
trello-token ATTA any 70
trigger-key tr_dev_ any 18
trigger-key tr_prod_ any 18
trigger-key tr_pat_ any 24
thunderstore-token tss_ any 30
ubidots-token BBFF- any 30
ubidots-token BBUS- any 30
unkey-key unkey_ any 20
valtown-token vtwn_ any 20
vercel-token vcp_ any 24
vercel-token vci_ any 24
vercel-token vca_ any 24
vercel-token vcr_ any 24
vercel-token vck_ any 24
voiceflow-key VF.DM. b64. 36
voiceflow-key VF.WS. b64. 36
voyage-key pa- sign! 43
wakatime-key waka_ uuid 36
xata-key xau_ any 36
xendit-key xnd_production_ any 30
xendit-key xnd_development_ any 30
yandex-token t1. b64=. 80
zuplo-key zpka_ hex_ 40
dnsimple-token dnsimple_a_ any 30
dnsimple-token dnsimple_u_ any 30
launchdarkly-key rel- uuid 36
langfuse-key sk-lf- uuid 36
flightcontrol-key fc_live_ any 20
airtable-key key any! 14
aiven-token aivenv1 b64 200
amazon-secret amzn1.oa2-cs.v1. hex 64
asaas-key $aact_ any 40
asaas-key $aact_prod_ b64: 40
asaas-key $aact_hmlg_ b64: 40
beamer-token b_ sign! 44
buildkite-token bkct_ any 30
cashfree-key cfsk_ma_ sign 30
checkout-key sk_ uuid 36
checkout-key sk_sbox_ low 20
cloudflare-tunnel eyJhIjoi b64= 100
cloudsmith-token csa_ any 30
datadog-key ddapp_ any 34
datadog-key ddpat_ any 30
devcycle-key dvc_server_ sign 20
docker-swarm-token SWMTKN-1- low 50
docker-swarm-key SWMKEY-1- b64 40
facebook-token IGQV any 60
facebook-token IGAA any 60
intercom-token dG9rO b64= 50
jumpcloud-key jca_ any 36
lightspeed-token lsxs_pt_ any 30
linear-key lin_wh_ any 30
logicmonitor-token lmb_ b64= 40
midtrans-key Mid-server- sign 20
nylas-key nyk_v0_ any 60
packagist-token packagist_ any 40
packagist-token packagist_out_ any 40
workato-token wrkaus- b64= 60
workato-token wrkus- b64= 60
workato-token wrkeu- b64= 60
workato-token wrkjp- b64= 60
workato-token wrksg- b64= 60
configcat-key configcat-sdk-1/ b64 40
aikido-token AIK_CI_ any 20
aikido-secret AIK_SECRET_ any 40
twitch-token oauth: low 30
packagist-token packagist_uut_ any 40
packagist-token packagist_ort_ any 40
pagerduty-token pdus+_ sign 40
portainer-key ptr_ b64= 40
prismic-token MC5 b64.~ 60
replit-key rpl_ any~ 30
sentry-token sntryi_ hex 64
sindri-key sindri_ any 32
snowflake-token ver:1-hint: sign 40
sourcegraph-token sgd_ any 40
supermetrics-key api_ any~ 40
vault-token s. any! 24
volcengine-key AKLT any 40
wakatime-key waka_ uuid 36
zitadel-key ztk_ any 30
bitcoin-wallet xprv any 100
bitcoin-wallet yprv any 100
bitcoin-wallet zprv any 100
bitcoin-wallet tprv any 100
`

// tails are the alphabets of prefixTable as expressions; what stands behind the name of one is added to it.
var tails = map[string]string{
	"hex": `a-f0-9`, "low": `a-z0-9`, "cap": `A-Z0-9`, "any": `A-Za-z0-9`, "sign": `A-Za-z0-9_-`, "b64": `A-Za-z0-9+/_-`,
}

const uuidForm = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// prefixForms reads prefixTable.
func prefixForms() (all []format) {
	for line := range strings.Lines(strings.TrimSpace(prefixTable)) {
		var kind, prefix, class string
		var n int
		if _, err := fmt.Sscan(line, &kind, &prefix, &class, &n); err != nil {
			panic("prefix table: " + line + err.Error())
		}
		class, exact := strings.CutSuffix(class, "!")
		class, chance := strings.CutSuffix(class, "~")
		f := format{kind: kind, word: strings.ToLower(prefix), expr: regexp.QuoteMeta(prefix) + tail(class, n), edge: true, chance: chance || exact}
		if exact {
			f.whole, f.expr = true, strings.TrimSuffix(f.expr, ",}")+"}"
		}
		if class == "hex" || class == "low" || class == "cap" || class == "any" {
			f.lead = n
		}
		if len(prefix) < 4 {
			f.fill = fillWord
		}
		all = append(all, f)
	}
	return all
}

// tail is the expression of at least n characters of a class, and of a UUID when that is the class.
func tail(class string, n int) string {
	if class == "uuid" {
		return uuidForm
	}
	name := strings.TrimRight(class, "=_.:")
	return fmt.Sprintf(`[%s%s]{%d,}`, class[len(name):], tails[name], n)
}
