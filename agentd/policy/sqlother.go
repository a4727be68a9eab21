package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// redisCommands are commands of Redis by their first word; what is not here is red.
var redisCommands = map[Tier]map[string]bool{
	Green: words(`ping echo info dbsize time lastsave get mget getrange substr strlen exists ttl pttl expiretime pexpiretime type keys scan randomkey
		hget hmget hgetall hkeys hvals hlen hexists hscan hstrlen llen lrange lindex lpos scard smembers sismember smismember srandmember sscan
		sunion sinter sdiff sintercard zcard zcount zrange zrangebyscore zrangebylex zrevrange zrevrangebyscore zrank zrevrank zscore zmscore zscan
		zlexcount zinter zunion zdiff zintercard zrandmember hrandfield lcs bitfield_ro role
		xlen xrange xrevrange xinfo bitcount bitpos getbit pfcount geopos geodist geohash memory object slowlog latency command`),
	Yellow: words(`setnx incr incrby incrbyfloat decr decrby append lpush rpush lpushx rpushx sadd zadd hsetnx hincrby hincrbyfloat xadd pfadd geoadd persist
		touch copy msetnx publish`),
	CriticalRed: words(`flushall flushdb shutdown replicaof slaveof config debug swapdb failover cluster save bgsave bgrewriteaof client restore migrate sort
		reset`),
	Forbidden: words(`eval evalsha eval_ro evalsha_ro fcall fcall_ro function script module acl auth hello monitor sync psync`),
}

// redisLoses are words with which a command that adds takes away as well.
var redisLoses = map[string][]string{"copy": {"replace"}, "xadd": {"maxlen", "minid"}}

// redis judges one command. The text must be plain words: quoting is the client's affair.
func (q *sqlJudge) redis(query string) {
	args := strings.Fields(query)
	if len(args) == 0 || badSQL(query) != nil || strings.ContainsAny(query, "\n\r") {
		q.never("That is not one plain command of Redis.")
		return
	}
	name := strings.ToLower(args[0])
	sub := ""
	if len(args) > 1 {
		sub = strings.ToLower(args[1])
	}
	switch {
	case redisSub(name, sub), name == "config" && sub == "get" && redisTold(args[2:]):
	case redisCommands[Forbidden][name]:
		q.never("This command of Redis runs code or changes who may do what.")
	case redisCommands[CriticalRed][name]:
		q.raise(CriticalRed, "cache.server.change", "Change or empty the whole of Redis", "It cannot be undone.")
	case redisCommands[Yellow][name] && !slices.ContainsFunc(args[1:], func(w string) bool { return slices.Contains(redisLoses[name], strings.ToLower(w)) }):
		q.raise(Yellow, "cache.key.add", "Add to Redis", "It changes something.")
	case !redisCommands[Green][name] || redisReads[name] != "" || name == "memory" || name == "object" || name == "slowlog" || name == "latency" || name == "xinfo":
		q.raise(Red, "cache.key.change", "Change keys of Redis", "It changes or removes what is there.")
	}
}

// redisReads are second words with which a command only tells.
var redisReads = map[string]string{
	"memory": "usage stats doctor malloc-stats help", "object": "encoding freq idletime refcount help", "slowlog": "get len help", "latency": "latest doctor history histogram help",
	"pubsub": "channels numsub numpat shardchannels help",
	"xinfo":  "stream groups consumers help", "client": "list info id getname help", "cluster": "info nodes slots shards myid keyslot help", "config": "help", "command": "count docs info list help",
}

func redisSub(name, sub string) bool {
	return redisReads[name] != "" && slices.Contains(strings.Fields(redisReads[name]), sub)
}

// redisSetting is the name of a setting, or how the names of some begin.
var redisSetting = lazyre.MustCompile(`^[a-z]{3}[a-z0-9-]*\*?$`)

// redisSecret are parts of the names of settings that tell how one signs in.
var redisSecret = lazyre.MustCompile(`pass|auth|user|acl|key|secret|token`)

// redisTold says whether settings are named of which none tells how one signs in.
func redisTold(settings []string) bool {
	for _, s := range settings {
		s = strings.ToLower(s)
		begin, open := strings.CutSuffix(s, "*")
		if !redisSetting.MatchString(s) || redisSecret.MatchString(s) ||
			open && slices.ContainsFunc([]string{"requirepass", "masterauth", "masteruser", "tls-", "sentinel"}, func(n string) bool { return strings.HasPrefix(n, begin) || strings.HasPrefix(begin, n) }) {
			return false
		}
	}
	return len(settings) > 0
}

var (
	mongoChain = lazyre.MustCompile(`^db(?:\.[A-Za-z_][A-Za-z0-9_]*|\.getCollection\((?:"[\w.-]+"|'[\w.-]+')\)|\["[\w.-]+"\]|\['[\w.-]+'\])?\.` +
		`(find|findOne|count|countDocuments|estimatedDocumentCount|distinct|aggregate|getIndexes|stats|dataSize|getCollectionNames|getCollectionInfos|serverStatus|version)\(([^()]*)\)` +
		`(?:\.(?:limit|sort|skip|pretty|toArray|count|project|itcount|size|explain|next|hasNext|maxTimeMS)\([^()]*\))*;?$`)
	mongoValues = lazyre.MustCompile(`\b(?:ObjectId|ISODate|NumberLong|NumberInt|NumberDecimal|UUID|new Date)\(\s*(?:"[^"\\()]*"|'[^'\\()]*'|[0-9]*)\s*\)`)
	mongoBad    = lazyre.MustCompile("(?i)\\$(?:out|merge|where|function|accumulator|eval|currentOp|documents)|function|=>|=|`|\\\\")
	mongoWorst  = lazyre.MustCompile(`(?i)\b(?:dropDatabase|createUser|dropUser|dropAllUsers|updateUser|grantRoles|createRole|dropRole|shutdownServer|adminCommand|runCommand|fsync|copyDatabase|eval|load\s*\(|require|process|child_process|Mongo\s*\(|connect\s*\(|rs\.|sh\.)`)
	// mongoAccounts are the collections that hold how accounts sign in, and the keys of a cluster.
	mongoAccounts = lazyre.MustCompile(`(?i)\bsystem\.(?:users|backup_users|new_users|keys)\b`)
	// mongoExpires is the setting of an index that deletes what is old.
	mongoExpires = lazyre.MustCompile(`(?i)expireAfter`)
	mongoInsert  = lazyre.MustCompile(`^db(?:\.[A-Za-z_][A-Za-z0-9_]*)\.(?:insertOne|insertMany|insert|createIndex|createCollection)\([^()]*\);?$`)
)

// mongo judges a command as JSON, or one chain of calls as the shell of MongoDB writes it.
func (q *sqlJudge) mongo(query string) {
	query = strings.TrimSpace(query)
	if badSQL(query) != nil || query == "" {
		q.never("That is not one plain command of MongoDB.")
		return
	}
	plain := mongoValues.ReplaceAllString(query, `0`)
	switch {
	case mongoAccounts.MatchString(query):
		q.never("It reads how accounts sign in.")
	case strings.HasPrefix(query, "{"):
		q.mongoCommand(query)
	case mongoWorst.MatchString(plain):
		q.raise(CriticalRed, "database.database.change", "Change the whole database", "It drops a database, changes accounts or runs code.")
	case mongoChain.MatchString(plain) && !mongoBad.MatchString(plain) && mongoLiterals(plain), slices.Contains([]string{"show dbs", "show databases", "show collections", "show tables"}, query):
	case mongoInsert.MatchString(plain) && !mongoExpires.MatchString(plain) && !mongoBad.MatchString(plain) && mongoLiterals(plain):
		q.raise(Yellow, "database.row.insert", "Add documents", "It changes something.")
	default:
		q.raise(Red, "database.row.change", "Change documents", "It is more than reading, or the gate does not understand it.")
	}
}

var (
	mongoArgs = lazyre.MustCompile(`\(([^()]*)\)`)
	// mongoToken is one piece of a value that is written out: a text, a number, a pattern, a name, or a mark.
	mongoToken = lazyre.MustCompile(`^\s*("[^"\\\n]*"|'[^'\\\n]*'|-?[0-9]+(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?|/(?:[^/*\[\]\\\n]|\[[^\]/\\\n]+\])(?:[^/\[\]\\\n]|\[[^\]/\\\n]+\])*/[a-z]*|[A-Za-z_$][A-Za-z0-9_$]*|[{}\[\],:])`)
)

// mongoLiterals says whether all that the calls of a chain are given is written out: what is only computed when it runs
// may have any name.
func mongoLiterals(query string) bool {
	for _, m := range mongoArgs.FindAllStringSubmatch(query, -1) {
		if !mongoLiteral(m[1]) {
			return false
		}
	}
	return true
}

// mongoSpace is what mongoToken takes for space.
const mongoSpace = " \t\n\f\r"

// mongoLiteral says whether a text is made of values that are written out.
func mongoLiteral(text string) bool {
	open, before := []byte(nil), "," // the brackets that are open, and the piece before
	for text = strings.Trim(text, mongoSpace); text != ""; {
		m := mongoToken.FindStringSubmatch(text)
		if m == nil {
			return false
		}
		piece, rest := m[1], strings.TrimLeft(text[len(m[0]):], mongoSpace)
		key := bytes.HasSuffix(open, []byte("{")) && (before == "{" || before == ",")
		named := strings.HasPrefix(rest, ":")
		switch {
		case strings.Contains(piece, "__proto__"), key && piece != "}" && !named, key && strings.ContainsAny(piece[:1], "[{/-:,"):
			return false
		case piece == "{" || piece == "[":
			open = append(open, piece...)
		case piece == "}" || piece == "]":
			open = open[:max(0, len(open)-1)]
		case !key && mongoName.MatchString(piece) && !mongoWords[piece]:
			return false
		}
		text, before = rest, piece
	}
	return true
}

var (
	mongoName  = lazyre.MustCompile(`^[A-Za-z_$]`)
	mongoWords = words("true false null undefined")
)

// ownCollection says whether the value that comes next is the name of a collection that the database keeps of itself.
func ownCollection(d *json.Decoder) bool {
	value, err := d.Token()
	name, ok := value.(string)
	return err != nil || !ok || strings.HasPrefix(name, "system.")
}

// mongoCommand judges a command by the first name of its object.
func (q *sqlJudge) mongoCommand(query string) {
	d := json.NewDecoder(strings.NewReader(query))
	_, _ = d.Token() // the brace that is there
	first, err := d.Token()
	name, ok := first.(string)
	switch {
	case err != nil || !ok || !json.Valid([]byte(query)):
		q.never("The command cannot be read.")
	case words(`find count distinct aggregate listCollections listIndexes ping dbStats collStats buildInfo hostInfo`)[name] && !mongoBad.MatchString(strings.ReplaceAll(query, "=", "")):
	case name == "insert" && !ownCollection(d):
		q.raise(Yellow, "database.row.insert", "Add documents", "It changes something.")
	case words(`update delete findAndModify drop dropIndexes renameCollection create createIndexes collMod aggregate find`)[name]:
		q.raise(Red, "database.row.change", "Change documents", "It is more than reading.")
	default:
		q.raise(CriticalRed, "database.database.change", "Change the whole database", "The gate does not understand this command.")
	}
}
