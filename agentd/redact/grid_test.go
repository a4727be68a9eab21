package redact

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// score counts what was found of what should have been, by each side of a grid.
type score struct {
	all, found int
	missed     map[string]int
	seen       map[string]int
	examples   map[string]string
}

func newScore() *score {
	return &score{missed: map[string]int{}, seen: map[string]int{}, examples: map[string]string{}}
}

func (s *score) note(why string, sides ...string) {
	s.all++
	for _, side := range sides {
		s.seen[side]++
		if why != "" {
			s.missed[side]++
			s.examples[side] = why
		}
	}
	if why == "" {
		s.found++
	}
}

// check fails below the goal, or when most of a row or column of the grid is missed: a hole, however small.
func (s *score) check(t *testing.T, goal float64) {
	t.Helper()
	worst := slices.SortedFunc(maps.Keys(s.missed), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.missed[b]*s.seen[a], s.missed[a]*s.seen[b]), cmp.Compare(a, b))
	})
	for i, side := range worst {
		if line := fmt.Sprintf("%4d of %4d %s: %s", s.missed[side], s.seen[side], side, s.examples[side]); 3*s.missed[side] > s.seen[side] {
			t.Error(line)
		} else if i < 40 {
			t.Log(line)
		}
	}
	share := float64(s.found) / float64(s.all)
	t.Logf("%d of %d, %.2f %%", s.found, s.all, 100*share)
	if share < goal {
		t.Errorf("%.2f %% are fewer than %.2f %%", 100*share, 100*goal)
	}
}

// drawn is the source of a grid: the same each time, another each time in the soak.
func drawn(t *testing.T) (r *rand.Rand, times int) {
	seed, times := uint64(1), 1
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		seed, times = rand.Uint64(), 20
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 3)), times
}

// plain says that a format has nothing of its own: only the name before it tells what it is.
var plain = regexp.MustCompile(`^(u\+|sk|BQ|A|00|2)?(\{\{\w+( \d+)?\}\}[=:._-]*)+$`)

// gridNames are what secrets are called, gridValues what they are: chosen by people, or made by machines.
var (
	gridNames = map[string]string{
		"password": `password,db password,database passwd,root pwd,smtp pass,admin pass,keystore password,ssh passphrase,wifi psk,mysql root password,redis passwd,master password,
			login pw,initial password,ldap bind password,encryption passphrase,sudo password,new password,passcode,
			sudo pass,vault pass,wlan key,usrpwd,enable password,become pass`,
		"token": `api key,api token,access token,client secret,secret key,auth token,refresh token,webhook secret,signing secret,encryption key,private token,session secret,jwt secret,
			app secret,consumer secret,deploy token,account key,access key,secret access key,bot token,personal access token,hmac key,application key,master key,integration key,token,
			secret,acme token,acme secret,apikey,auth key,service key,registration token,credential,oauth token,subscription key,cookie secret,django secret key,password salt,otp secret,
			deepgram key,infura key,enc key`,
	}
	gridValues = map[string]string{
		"password": `{{pw}},{{coined}},{{alnum 10}}7q,{{alnum 15}}4,Winter{{digits 4}}!,{{lower 8}}4{{lower 3}},{{alnum 4}}-{{alnum 4}}-{{alnum 4}}-9{{alnum 3}},{{pw}}{{pw}},S{{lower 6}}#{{digits 2}}`,
		"token":    `{{hex 32}},{{hex 40}},{{hex 64}},{{uuid}},{{alnum 20}},{{alnum 32}},{{alnum 40}},{{base64 43}}=,{{base64url 43}},{{lower 32}},{{upper 32}},{{base64 64}},{{alnum 24}},ak_{{alnum 30}},{{alnum 12}}.{{alnum 30}}`,
	}
	gridSlot = regexp.MustCompile(`@(UPPER|snake|camel|Pascal|Kebab|kebab|Title|words|dot|V|A)`)
	unsafe   = regexp.MustCompile(`[^A-Za-z0-9_.-]`) // what a URL does not hold as it is
)

// placed writes a name and a value into an assignment and says where the value begins.
func placed(template, name, value string) (text string, at int) {
	var b strings.Builder
	template, last := strings.ReplaceAll(template, "⏎", "\n"), 0
	for _, m := range gridSlot.FindAllStringIndex(template, -1) {
		b.WriteString(template[last:m[0]])
		switch slot := template[m[0]+1 : m[1]]; slot {
		case "V", "A":
			at = b.Len()
			b.WriteString(value)
		default:
			b.WriteString(written(strings.Fields(name), slot))
		}
		last = m[1]
	}
	return b.String() + template[last:], at
}

func pickOf(r *rand.Rand, list, sep string) string {
	all := strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(sep+"\n\t", c) })
	return all[r.IntN(len(all))]
}

func TestGrid_assignments(t *testing.T) {
	t.Parallel()
	r, times := drawn(t)
	e, s := New(), newScore()
	for _, a := range samples(t, "assignments.txt") {
		for kind := range gridNames {
			for range 12 * times {
				name, form := pickOf(r, gridNames[kind], ","), pickOf(r, gridValues[kind], ",")
				value := fill(r, form)
				if strings.Contains(a.template, "@A") {
					value = unsafe.ReplaceAllString(value, "x")
				}
				text, at := placed(a.template, name, value)
				s.note(misses(e, text[:at], value, text[at+len(value):]), kind+" "+a.name, kind+" name "+name, kind+" value "+form)
			}
		}
	}
	s.check(t, 0.985)
}

// openNames are names of what is no secret, openValues what they stand for, and standIns what stands for a secret.
const (
	openNames = `commit id,image digest,request id,etag,trace id,build hash,page token,file checksum,app version,user id,order number,color code,password hint,password policy,token type,
		token count,content hash,git revision,span id,public key,object id,job name,primary key,partition key,idempotency key,key id,token limit,password length,token url,
		certificate thumbprint,host fingerprint,package integrity,layer digest,api version,key size,translation key,error code,postal code,status code,test id,feature flag`
	openValues = `{{hex 40}},{{hex 64}},{{uuid}},{{digits 8}},1.{{digits 2}}.{{digits 1}},sha256:{{hex 64}},{{hex 32}},{{hex 7}},main,app-config-v2,https://acme.test/a/b,user_settings,2026-01-02T10:00:00Z,#ff00aa,v1.2.3-rc1`
	standIns   = `<your-key> ${ACME_VALUE} $ACME_VALUE process.env.ACME_VALUE {{acme_value}} xxxxxxxxxxxxxxxx ******** changeme YOUR_API_KEY your-token-here [REDACTED] null None %ACME_VALUE%
		TODO ... example string required REPLACE_ME placeholder op://vault/item/field undefined true sk-... hidden`
)

// stores are places that hold nothing but secrets, whatever they are called.
var stores = regexp.MustCompile(`^(gh|gh short|vercel|az keyvault|doppler|doppler quoted|k8s stringdata|python secretstr|aws secret|dotnet secrets|fly)$`)

func TestGrid_open(t *testing.T) {
	t.Parallel()
	r, times := drawn(t)
	e, s := New(), newScore()
	for _, a := range samples(t, "assignments.txt") {
		for k := range 24 * times {
			name, form := pickOf(r, openNames, ","), pickOf(r, openValues, ",")
			value := fill(r, form)
			if k%2 == 0 {
				name, value = pickOf(r, gridNames[[]string{"password", "token"}[k/2%2]], ","), pickOf(r, standIns, " ")
				form = value
			}
			if stores.MatchString(a.name) {
				continue
			}
			text, _ := placed(a.template, name, value)
			why := ""
			if out, found := e.Scan(text); len(found) > 0 {
				why = fmt.Sprintf("%q became %q", text, out)
			}
			s.note(why, a.name, "name "+name, "value "+form)
		}
	}
	s.check(t, 0.995)
}

// ownNames are names of machines, people, products, papers and methods that have digits as passwords do.
const ownNames = `blue-maple-46,web-node-17,Garnet_Harbor21,mueller84,svc_backup2,admin2,Server2019,Office365,Ubuntu22.04,macOS14,v2.15.3,PR-1423,INC-2026-0412,SAML2.0,AES-128,SHA-256,
	TOTP-based,Q3/2026,2026-03-31,31.12.2026,10:15,192.168.178.1:8080,fe80::1,https://acme.test/x1,mail.acme.test,room12B,x86_64,3.5GB`

// TestGrid_about crosses sentences about passwords with the names that stand in them.
func TestGrid_about(t *testing.T) {
	t.Parallel()
	r, times := drawn(t)
	e, s := New(), newScore()
	for _, a := range samples(t, "about.txt") {
		for range 8 * times {
			name := pickOf(r, ownNames, ",")
			text, why := strings.ReplaceAll(a.template, "@V", name), ""
			if out, found := e.Scan(text); len(found) > 0 {
				why = fmt.Sprintf("%q became %q", text, out)
			}
			s.note(why, a.name, "name "+name)
		}
	}
	s.check(t, 0.995)
}

// vendorPlaces are where a credential without a form of its own stands beside the name of its vendor.
var vendorPlaces = []string{
	"⟪UPPER⟫_API_KEY=@", "⟪UPPER⟫_TOKEN=@⏎", "⟪words⟫ api key: @", "⟪camel⟫ApiKey: \"@\"", "\"⟪snake⟫_api_token\": \"@\"", "--⟪kebab⟫-token @",
	"const ⟪camel⟫Secret = '@';", "the ⟪words⟫ token is @", "⟪snake⟫.api_key=@", "export ⟪UPPER⟫_SECRET='@'", "⟪words⟫ secret: @.", "<⟪camel⟫Token>@</⟪camel⟫Token>",
	"⟪snake⟫:⏎  api_key: @⏎", "\"⟪snake⟫\": {\"apiKey\": \"@\"}", "X-⟪Kebab⟫-Key: @", "⟪words⟫ api key @", "| ⟪Title⟫ API key | `@` |", "?⟪snake⟫_token=@&x=1",
}

func TestGrid_formats(t *testing.T) {
	t.Parallel()
	r, times := drawn(t)
	e, s := New(), newScore()
	for _, f := range samples(t, "formats.txt") {
		for range times {
			value := strings.ReplaceAll(fill(r, f.template), `\n`, "\n")
			if plain.MatchString(f.template) && !strings.Contains(f.template, "jwt") && !strings.Contains(f.template, "bcrypt") {
				for _, p := range vendorPlaces {
					before, after, _ := strings.Cut(styled(fill(r, p), strings.Fields(f.name), "⟪", "⟫"), "@")
					s.note(missed(e, before, value, after), "place "+p, "format "+f.name)
				}
				continue
			}
			for _, p := range samples(t, "places.txt") {
				before, after, _ := strings.Cut(strings.NewReplacer("⟦", "", "⟧", "").Replace(fill(r, p.template)), "@")
				s.note(missed(e, before, value, after), "place "+p.name, "format "+f.name)
			}
		}
	}
	s.check(t, 0.99)
}

// missed is empty when most of a secret was found: of a URL or a connection string the part that is secret.
func missed(e *Engine, before, secret, after string) string {
	out, found := e.Scan(before + secret + after)
	for _, f := range found {
		if f.Start >= len(before) && f.End <= len(before)+len(secret) && (f.End-f.Start)*10 >= len(secret)*2 {
			return ""
		}
		if f.Start >= len(before)-12 && f.End <= len(before)+len(secret)+2 && f.End > len(before) {
			return ""
		}
	}
	return fmt.Sprintf("%q became %q", before+secret+after, out)
}

// styles are the ways to write a name of several words.
var styles = regexp.MustCompile(`UPPER|snake|camel|Pascal|Kebab|kebab|Title|words|dot`)

// styled writes a name in a template wherever a style stands between the signs.
func styled(template string, words []string, open, shut string) string {
	for _, style := range styles.FindAllString(template, -1) {
		template = strings.ReplaceAll(template, open+style+shut, written(words, style))
	}
	return template
}

func written(words []string, style string) string {
	var out []string
	for i, w := range words {
		switch {
		case style == "UPPER":
			w = strings.ToUpper(w)
		case style == "Pascal", style == "Kebab", style == "Title", style == "camel" && i > 0:
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		out = append(out, w)
	}
	signs := map[string]string{"UPPER": "_", "snake": "_", "Kebab": "-", "kebab": "-", "Title": " ", "words": " ", "dot": "."}
	return strings.Join(out, signs[style])
}
