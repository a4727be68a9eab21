package ingress

// concept is a set of meanings that rules speak of.
type concept uint64

const (
	ignore    concept = 1 << iota // ignore, disregard, forget
	prior                         // previous, above, earlier, original
	above                         // everything above, what was said before
	order                         // instructions, rules, prompt, guidelines
	duty                          // task, policy, goal: an order only when it is the model's
	fresh                         // new, updated, real
	follow                        // follow, obey, comply
	not                           // not, never
	your                          // you, your
	my                            // my, our
	machine                       // an AI, named without doubt
	helper                        // assistant, agent, bot: may be a person
	authority                     // system, developer, administrator, operator
	notice                        // message, override, update, notice
	become                        // you are now, act as
	persona                       // DAN, unrestricted, without filters
	send                          // send, forward, upload
	copyTo                        // bcc, cc
	secretly                      // without telling, quietly
	secret                        // password, key, token
	private                       // customer list, all mails, conversation
	dest                          // an address or a link
	all                           // all, every
	reveal                        // show, print, repeat
	prompt                        // system prompt, hidden instructions
	tool                          // the name of a tool, tool call
	run                           // run, call, execute
	destroy                       // delete, erase, drop
	goods                         // files, database, backups, records
	urgent                        // at once, immediately
	tell                          // tell, inform, mention
	person                        // user, owner, human
	remember                      // remember, memorise
	future                        // from now on, always
	memory                        // memory, knowledge base
	approved                      // approved, authorised
	already                       // already, in advance
	skip                          // no need to, without, bypass, disable
	guard                         // confirmation, check, safety, filter
	discuss                       // talk about attacks: phishing, example, training
	void                          // no longer valid, superseded
	append_                       // append, encode, embed
	query                         // URL, parameter, image, query string
	decode                        // decode, decipher, base64
	hail                          // attention, dear, note to, if you are
	iAm                           // I am, this is, speaking as
	money                         // transfer, wire, gift cards
	threat                        // suspended, locked, terminated
	verify                        // verify, confirm, enter
	trust                         // trust, whitelist, safe sender
	secure                        // keep confidential, between us
	must                          // must, have to, required, immediately do
	needless                      // without, no need to, not required
	nothing                       // nothing, rien, nada
	me                            // me, us
	keep                          // save, store, update: remembering only beside a memory
	some                          // mails, contacts, history: private as a whole
	reply                         // in your answer, word for word
	anybody                       // anyone, no one
	score                         // rate, rank, recommend, top marks
	asking                        // how do I, can it, what does
	reported                      // said, wrote, were told: somebody tells of it
	colleague                     // an agent or assistant who is a person
	readerOf                      // whoever reads this, your operator: nobody but a machine is spoken to like that
)
