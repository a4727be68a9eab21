package redact

import (
	"bytes"
	"slices"
	"strings"
)

// passwordCalls are functions that are given a password, and how many arguments stand before it.
var passwordCalls = []struct {
	before int
	names  string
}{
	{0, "redis.auth( .auth( ->auth( setpassword( set_password( withpassword( .password( =password( setpwd( secretkeyspec( hmac.new( aes.new( fernet( cookiesession( session({"},
	{1, `.login( ->login( authenticate( sign_in( signin( logon( setcredentials( credentials( passwordauthentication( basiccredentials( credentials.basic( pgp_sym_encrypt( pgp_sym_decrypt( aes_encrypt( aes_decrypt( trylogin( dologin( aes.encrypt( aes.decrypt( tripledes.encrypt( tripledes.decrypt( setauth( set_auth( oci_connect( oci_pconnect(
		simple_bind_s( .bind( jwt.sign( jwt.verify( jwt.encode( jwt.decode( createhmac( createcipheriv( usernamepassword( setbasicauth(`},
	{2, `mysqli_connect( mysql_connect( mysql_pconnect( mysqli( getconnection( pdo->__construct( mysqli->__construct( dbi->connect( odbc_connect( mssql_connect(
		sqlsrv_connect( ibase_connect( ftp_login( ldap_bind( imap_open( ssh2_auth_password( pymysql.connect( mysqldb.connect( plainauth( hash_hmac( simplebind(`},
	{3, "newdialer("},
	{4, "smtp.start("},
}

// otherCalls are functions whose arguments in quotes can be secrets, wherever they stand.
var otherCalls = []string{"pg_connect(", "::new(", "connect(", "ftp.open(", "authplain(", "twilio", "algoliasearch("}

// clientCalls are functions of vendors that are given the key of their service, which has no form, without a name.
var clientCalls = []string{"cohere.client(", "cohere.clientv2(", "rollbar.init(", "deepgram(", "mistralclient(", "new mistral(", "airbrake.new("}

// callWords are the keywords of functions that are given a secret without a name.
func callWords() []keyword {
	var all []keyword
	for _, c := range passwordCalls {
		all = append(all, keywords(quotedArgument(min(c.before, 1), c.before), strings.Fields(c.names)...)...)
	}
	all = append(all, keyword{word: "new pdo(", run: quotedArgument(1, 2)}, keyword{word: " password(", run: quotedArgument(0, 0)}, keyword{word: " login(", run: quotedArgument(1, 1)})
	return slices.Concat(all,
		keywords(quotedArgument(2, 2), ".open "),
		keywords(quotedArgument(1, -1), otherCalls...),
		keywords(quotedArgument(0, -1), clientCalls...),
		keywords(charArray, `".tochararray()`),
		keywords(quotedArgument(1, 1), "sp_addlogin ", "sp_password "),
		keywords(encodedLogin, "btoa(", "b64encode(", "base64_encode(", "buffer.from(", "base64.encode(", "encodetostring("),
		keywords(driverLogin, "@tcp(", "@unix("),
	)
}

// quotedArgument finds the arguments in quotes of a call, from the n-th of all on, that can only be secrets, and the one
// that is a password for its place.
func quotedArgument(n, place int) finder {
	return func(text []byte, i, k int, add func(span)) {
		at, end := i+k, min(lineEnd(text, i), i+300)
		if open := bytes.IndexByte(text[i:end], '('); open >= 0 && i+open >= at {
			at = i + open + 1
		}
		for arg := 0; at < end; arg++ {
			quote := at
			for quote < end && among(" \tbrfN(", text[quote]) {
				quote++
			}
			if hasFold(text[quote:], "some(") {
				quote += len("some(")
			}
			if k := perlQuoted(text, quote, end); k > 0 {
				if b := text[quote+2 : k]; arg >= n && literalSecret(b) || arg == place && coined(b) {
					add(span{quote + 2, k, -1, kindPassword})
				}
				quote = k + 1
			}
			if quote < end && among("\"'`", text[quote]) {
				v, ok := readValue(text, quote, value{})
				if !ok || !v.quoted {
					return
				}
				if b := text[v.start:v.end]; arg >= n && literalSecret(b) || arg == place && (coined(b) || sayable(b)) {
					add(span{v.start, v.end, -1, kindPassword})
				}
				quote = v.end + 1
			}
			for quote < end && text[quote] != ',' {
				if text[quote] == ')' || text[quote] == ';' {
					return
				}
				quote++
			}
			at = quote + 1
		}
	}
}

// perlQuoted is where a text ends that Perl's q{…} or q(…) holds and that begins at i, or 0.
func perlQuoted(text []byte, i, end int) int {
	if i+2 >= end || text[i] != 'q' || !among("{(", text[i+1]) {
		return 0
	}
	closing := map[byte]byte{'{': '}', '(': ')'}[text[i+1]]
	return i + 2 + max(bytes.IndexByte(text[i+2:end], closing), -i-2)
}

// literalSecret says whether a text in a program is no name, address or sentence but a secret.
func literalSecret(b []byte) bool {
	if len(b) < 8 || placeholder(b) || linkish(b) || uuidAt(b) || bytes.IndexByte(b, ' ') >= 0 || bytes.Contains(b, []byte(":")) && !strongWord(b) || bytes.IndexByte(b, '@') > 0 && bytes.IndexByte(b, '.') > 0 {
		return false
	}
	return strongWord(b) || digestLike(b) && len(b) >= 32 || len(b) >= 16 && byChance(b)
}

// encodedLogin finds the password of a name and a password that a program encodes for a header.
func encodedLogin(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 8, "[]byte( b")
	v, ok := readValue(text, at, value{})
	colon := bytes.IndexByte(text[v.start:v.end], ':')
	if !ok || !v.quoted || colon <= 0 || !identifier(text[v.start:v.start+colon]) {
		return
	}
	if b := text[v.start+colon+1 : v.end]; coined(b) || strongWord(b) {
		add(span{v.start + colon + 1, v.end, -1, kindPassword})
	}
}

// charArray finds the text that a program of Java makes characters of, as functions want passwords.
func charArray(text []byte, i, _ int, add func(span)) {
	line := lineStart(text, i)
	start := line + bytes.LastIndexByte(text[line:i], '"') + 1
	if b := text[start:i]; start > line && (literal(b, password) || coined(b) && phrased(b)) {
		add(span{start, i, -1, kindPassword})
	}
}

// driverLogin finds the password of user:password@tcp(host), as Go's driver for MySQL is told it.
func driverLogin(text []byte, i, _ int, add func(span)) {
	start := i
	for start > 0 && i-start < 128 && text[start-1] > ' ' && !among("\"'`=", text[start-1]) {
		start--
	}
	colon := bytes.IndexByte(text[start:i], ':')
	if colon <= 0 {
		return
	}
	if pass := text[start+colon+1 : i]; len(pass) >= 3 && !placeholder(pass) && !generic(pass) {
		add(span{start + colon + 1, i, -1, kindConnection})
	}
}
