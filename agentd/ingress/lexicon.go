package ingress

// entry gives words one meaning. Words are separated by commas; a star ends a stem; several words are a phrase. The
// languages stand in the order English, German, French, Spanish, Italian, Dutch, Portuguese, Polish, then others.
type entry struct {
	means concept
	words string
}

// lexicon is every word that rules know.
var lexicon = append(append(append(overrideWords, dataWords...), deedWords...), personWords...)

var overrideWords = []entry{
	{ignore, `ignore, ignores, ignoring, disregard*, forget, forgetting, overlook, override, overrides, overriding, overwrite, bypass, neglect, discard, dismiss, drop all, set aside, stop following, pay no attention, do away with, put aside, throw out, cease following, abandon, supersede, supersedes, erase your, clear your, reset your, wipe your, skip all, leave aside, nevermind, never mind, unlearn`},
	{ignore, `ignorier*, missacht*, vergiss, vergesst, vergessen sie, beachte nicht, beachten sie nicht, uberschreib*, verwirf, verwerfen, ausser acht, setze dich uber, umgehe, lass * ausser`},
	{ignore, `ignorez, ignorer, ignore toutes, oublie, oubliez, oublier, neglige*, negligez, ne tiens pas compte, ne tenez pas compte, ne tenez aucun compte, faites abstraction, fais abstraction, contourne*, passe outre, passez outre, ecarte*, annule`},
	{ignore, `ignora, ignorad, ignoren, ignorar, ignoralas, olvida, olvidad, olvide, olvidate, olvidese, olviden, descarta, descarte, omite, haz caso omiso, haga caso omiso, hagan caso omiso, no hagas caso, no tengas en cuenta, pasa por alto, anula, deja de lado`},
	{ignore, `ignorare, ignorate, ignori, dimentica, dimenticate, dimentichi, dimenticati, trascura, trascurate, tralascia, scarta, non tenere conto, non considerare, non tener conto, lascia perdere, annulla`},
	{ignore, `negeer, negeren, vergeet, vergeten, sla * over, houd geen rekening, laat * buiten beschouwing, schenk geen aandacht, overschrijf`},
	{ignore, `ignore todas, esqueca, esquece, esquecam, esquecer, desconsidere, desconsidera*, desconsiderem, despreze, descarte, nao leve em conta, deixa de lado, deixe de lado, nao considere`},
	{ignore, `zignoruj*, ignoruj*, pomin, pomincie, pomijaj*, zapomnij*, odrzuc, zlekcewaz, nie zwracaj uwagi, nie bierz pod uwage, nie zwazaj, anuluj`},
	{ignore, `игнорир*, проигнорир*, забудь*, отбрось*, не обращай внимания, 忽略, 无视, 忽视, 忘记, 忘掉, 不要理会, 無視, 忘れ, 忽略掉, 무시, 잊어, yok say, gormezden gel, unut, bortse, ignorera, glom, ignorer alle, glem, ignoruj, zapomen, ignorati, jata huomiotta, unohda, تجاهل, انس, التجاهل, अनदेखा, भूल जाओ, figyelmen kivul, felejtsd, ignora toate, uita, abaikan, lupakan, bo qua, αγνοησε, ξεχνα`},
	{prior, `previous, previously, prior, above, earlier, preceding, foregoing, former, original, initial, existing, given, past, preset, predefined, default, before, other, current, hitherto, aforementioned, received, so far, up to now, until now, you were given, you have been given, up to this point, you got, you have received, older, old, any, last`},
	{prior, `vorherig*, bisherig*, vorig*, vorangegangen*, fruher*, obig*, obenstehend*, ursprunglich*, zuvor, vorher, bestehend*, vorangehend*, bislang, alten, erhalten*, davor, bisher, vorausgehend*`},
	{prior, `precedent*, anterieur*, ci dessus, initial*, d origine, existant*, recues, avant, actuel*, jusqu ici, jusqu a present`},
	{prior, `anterior*, previa*, previo*, precedente*, arriba, recibid*, originales, iniciales, existentes, antes, hasta ahora, actuales`},
	{prior, `precedent*, anterior*, sopra, iniziali, originali, ricevut*, attuali, esistenti, prima, finora, passate`},
	{prior, `vorige, eerdere, voorgaande, bovenstaande, oorspronkelijke, bestaande, voorafgaande, hiervoor, huidige, oude, tot nu toe, gekregen`},
	{prior, `anteriores, previas, acima, recebidas, originais, existentes, ate agora, atuais, iniciais`},
	{prior, `poprzedni*, wczesniejsz*, powyzsz*, dotychczasow*, pierwotn*, otrzymane, wszystkie, dawne, obecne, uprzedni*`},
	{prior, `предыдущ*, прежн*, прошл*, выше, ранее, 之前, 先前, 以上, 以前, 前面, 上面, 上述, 此前, 이전, 앞의, 위의, 지금까지, これまで, 前の, 上記, onceki, yukaridaki, tidigare, foregaende, tidligere, foregaende, predchozi*, drivejsi, aiemmat, aiempi, السابقة, السابق, أعلاه, पिछले, पिछल*, korabbi, elozo, anterioare, precedente, sebelumnya, truoc, προηγουμεν*, all`},
	{above, `everything above, anything above, the above, all of the above, all above, what came before, everything before, everything that came before, everything said, anything you were told, everything you were told, what you were told, everything you have been told, all you have been told, anything said before, whatever you were told, everything prior, everything previous, what you have been told, everything up to here, all that came before, everything written above, text above, content above, everything i said, what was said before, what has been said, everything you know, everything preceding`},
	{above, `alles obige, alles was oben, alles bisherige, alles davor, was dir gesagt wurde, alles vorherige, alles was dir, alles was bisher, tout ce qui precede, tout ce qui est au dessus, tout ce qu on t a dit, ce qui precede, tout ce que l on vous a dit, todo lo anterior, lo anterior, todo lo que te dijeron, todo lo que se te, tutto cio che precede, tutto quello che, quanto sopra, tutto quanto, al het bovenstaande, alles hierboven, alles wat je, alles wat hierboven, tudo o que foi dito, tudo acima, tudo o que veio antes, o que foi dito, tudo o que, wszystko powyzej, wszystko co powyzej, wszystko co, co powyzej, все вышесказанное, все что было, 以上内容, 以上所有, 之前的所有`},
	{order, `instruction*, instuction*, intruction*, instrction*, instructon*, prompt, prompts, rules, guideline*, directive*, programming, constraint*, guidance`},
	{duty, `training, context, task, tasks, order, orders, policies, policy, configuration, objective, objectives, goals, goal, parameters, protocols, protocol, mandate, mandates, directions, restrictions, command, commands, briefing, persona, role, auftrag, auftrage, aufgabe*, kontext, beschrankungen, contexte, tache, taches, tarea*, contexto, compito, compiti, contesto, vincoli, taak, taken, opdracht*, tarefas, tarefa, zadan*, ordenes, ordini`},
	{order, `anweisung*, anordnung*, instruktion*, regel, regeln, vorgabe*, befehl*, richtlinie*, weisung*, systemanweisung*, systemprompt*, vorschrift*`},
	{order, `consigne*, directive*, regle, regles, ordres, commandes`},
	{order, `instruccion*, orden, ordenes, indicacion*, regla, reglas, directric*, directiva*, directrices, mandato*, normas, contexto`},
	{order, `istruzion*, regola, regole, ordini, direttiv*, comandi, indicazion*, linee guida`},
	{order, `instructie*, regels, opdracht*, richtlijn*, aanwijzing*, voorschrift*, bevel*`},
	{order, `instrucoes, instrucao, regras, ordens, diretriz*, orientacoes, comandos, diretivas`},
	{order, `instrukcj*, polecen*, polecenia, regul*, zasad*, wytyczn*, rozkaz*, dyrektyw*, zalecen*, nakaz*`},
	{order, `инструкци*, указани*, правил*, команд*, приказ*, 指令, 指示, 命令, 规则, 提示词, 提示, 説明, ルール, 規則, 设定, 要求, 지시, 지침, 명령, 규칙, 프롬프트, talimat*, kurallar*, komut*, instruktion*, anvisning*, instruks*, regler, pokyn*, instrukc*, ohjeet, ohje*, maarays*, التعليمات, الأوامر, تعليمات, निर्देश*, utasitas*, szabaly*, instructiuni*, reguli*, instruksi, perintah, huong dan, οδηγι*, εντολ*`},
	{fresh, `new, updated, real, actual, true, revised, following, correct, next, latest, neue, neuen, folgende*, tatsachlich*, echte, nouvelle*, nouveau*, suivant*, nueva*, nuevo*, siguiente*, nuov*, seguent*, nieuwe, volgende, echte, nova*, novo*, seguinte*, nowe, nowy*, nastepujac*, новы*, следующ*, 新的, 新, 以下, 새로운, 新しい, yeni, nya, nye, nove`},
	{follow, `follow, obey, comply, adhere, execute, heed, observe, abide, respect, listen to, carry out, do what, act on, befolg*, folge, folgen, gehorch*, halte dich, fuhr* , suis, suivez, suivre, obeis*, respecte*, executez, execute*, sigue, siga, sigas, seguir, obedece, obedezca, cumple, ejecuta*, segui, seguire, seguite, obbedisci, esegui*, volg, volgen, gehoorzaam*, voer, siga, obedeca, cumpra, execute*, wykonaj, wykonuj*, przestrzegaj, stosuj*, postepuj, выполн*, следуй*, подчин*, 遵循, 执行, 遵守, 服从, 실행, 따라, 따르, 従, 実行, uygula, folj, folg, splni, noudata, اتبع, نفذ`},
	{void, `no longer valid, no longer apply, no longer applies, no longer in force, no longer in effect, no longer binding, superseded, obsolete, revoked, cancelled, canceled, null and void, void, outdated, replaced by, are replaced, is replaced, deprecated, expired, suspended for, have been lifted, are lifted, rescinded, no longer relevant, do not apply, does not apply, not apply to, ungultig*, aufgehoben, nicht mehr gultig, gelten nicht, gilt nicht, ausser kraft, hinfallig, ersetzt, annulees, plus valables, plus en vigueur, ne sont plus, ne s appliquent plus, caduques, remplacees, ya no son validas, quedan anuladas, ya no aplican, quedan sin efecto, ya no estan, non sono piu valide, sono annullate, non valgono piu, non si applicano, zijn niet meer, niet langer geldig, gelden niet, vervallen, nao sao mais, foram canceladas, nao se aplicam, deixam de valer, ja nao, nie obowiazuj*, sa niewazne, uniewaznion*, przestaja obowiazywac, traca waznosc, больше не действ*, отменен*, 作废, 失效, 不再有效`},
}
