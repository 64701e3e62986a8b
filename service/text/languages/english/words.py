"""Classes of English words for the tagger: complete closed classes, and common words of others."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = _words("a an the")

DETERMINERS = ARTICLES | _words(
    "this these those each every some any no another such which whose what both either neither"
    " many few several more most less enough own other same various certain"
)
"""Words before a noun. `that` has its own rules."""

POSSESSIVES = _words("my your his her its our their whose one's")

SUBJECTS = _words("i you he she it we they who there")
NOMINATIVES = _words("i he she we they")

OBJECTS = _words(
    "me him us them it you her himself herself itself themselves myself yourself ourselves one"
    " everyone everything everybody anything something nothing anyone someone this these those"
)
"""What may directly follow a verb as its object, besides articles and possessives."""

BE = _words(
    "am is are was were be been being isn't aren't wasn't weren't i'm you're we're they're"
    " he's she's it's that's there's what's who's here's where's"
)
COPULAS = _words(
    "seem seems seemed look looks looked feel feels felt become becomes became remain remains"
    " remained stay stays stayed appear appears appeared"
)
"""Verbs other than `be` that an adjective follows."""

HAVE = _words(
    "have has had having haven't hasn't hadn't i've you've we've they've could've would've"
    " should've might've must've"
)
AUXILIARIES_OF_BASE = _words(
    "will would can could may might must shall should do does did cannot let's lets"
    " can't won't don't doesn't didn't couldn't wouldn't shouldn't mustn't needn't"
    " i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd please to"
)
"""Words that the base form of a verb follows."""

ADVERBS = _words(
    "not never always also often usually sometimes rarely seldom just only ever hardly scarcely"
    " even still soon again really then now already almost quite rather"
)
"""Words other than those in -ly that may come between an auxiliary and its verb."""

FINITE = (
    (BE - _words("be been being"))
    | _words("has have had hasn't haven't hadn't")
    | (AUXILIARIES_OF_BASE - _words("to please let's lets"))
    | _words(
        "says said seems seemed makes made means meant becomes became happens happened comes came"
        " goes went takes took gets got gives gave knows knew lies lay stands stood"
    )
)
"""Verb forms that have a subject before them."""

PREPOSITIONS = _words(
    "of in on at by for with from into onto about over under through between among against during"
    " before after without within upon across behind beyond beside besides near since until till"
    " toward towards per via than like as despite around along above below amid throughout"
    " concerning regarding inside outside unlike except versus"
)

CONJUNCTIONS = _words(
    "and or but nor yet so if when while because although though unless whereas where whether once"
)

CLAUSE_VERBS = _words(
    "say says said saying think thinks thought thinking know knows knew known believe believes"
    " believed feel feels felt see sees saw seen show shows showed shown find finds found suggest"
    " suggests suggested hope hopes hoped mean means meant tell tells told report reports reported"
    " claim claims claimed argue argues argued agree agrees agreed understand understood realize"
    " realized realizes remember remembered learn learned insist insisted insists hear heard fear"
    " feared wish wished suppose supposed assume assumes assumed notice noticed note noted indicate"
    " indicates indicated explain explained explains prove proved proven proves conclude concluded"
    " admit admits admitted declare declared announce announced ensure sure certain aware true"
    " clear likely possible impossible probable afraid glad sorry happy convinced evident obvious"
    " order way extent so such such now provided providing swear swore bet guess demand demanded"
    " require requires required propose proposed recommend recommended suspect suspected reveal"
    " reveals revealed demonstrate demonstrates demonstrated emphasize emphasized imply implies"
    " implied state states stated mention mentioned me him us them you appears appeared appear"
    " seems seem seemed happens happened turns turned pray decide decided decides doubt doubts"
    " doubted check confirm confirmed confirms warn warned warns predict predicted promise promised"
)
"""Words after which `that` is usually a conjunction."""

PERCEPTION = _words(
    "see sees saw seen find finds found show shows showed shown know knows knew hear heard remember"
    " remembered understand understood notice noticed mention mentioned feel feels felt mean means"
    " meant say says said believe forget forgot"
)
"""Those of `CLAUSE_VERBS` that may also have an object: `see that man`."""

MOTION = _words(
    "come comes came coming go goes went going gone move moves moved moving turn turns turned"
    " turning look looks looked looking put puts putting take takes took taken taking bring brings"
    " brought bringing fall falls fell fallen step steps stepped slip slipped slid slide rein"
    " reined walk walks walked drop dropped drops rush rushed check checked move break breaks broke"
    " breaking pull pulled pulling give gives gave giving cave caved kick kicked fill filled usher"
    " ushered ushers bringin' breakin' tune tuned log logged lock locked locking participated"
)
"""Verbs that take `in` and `by` as particles, as in `come in`."""

NOUNS_BEFORE_TO = _words(
    "due according access owing contrary prior subject relation regard respect addition response"
    " opposition exposed devoted resistance return reference key answer damage harm"
)
"""Words after which `to` is more often a preposition than part of an infinitive."""

TRANSITIVE = _words(
    "love loves get gets make makes take takes took leave leaves left wear want wants wanted like"
    " likes liked need needs needed give gives gave do does did have has had keep keeps kept"
    " shelter enforce use uses used put cross share shares bring brings brought"
)
"""Common verbs with an object."""

ADJECTIVES = _words("close deliberate elaborate learned animate consummate")
"""Adjectives that are pronounced differently as other parts of speech."""

DEGREES = _words("too so very quite rather")
"""Words that an adjective follows."""

ADJECTIVES_IN_LY = _words(
    "daily weekly monthly quarterly yearly early elderly friendly unfriendly lovely lonely likely"
    " unlikely costly deadly lively ugly holy family only hourly kindly"
)
"""Adjectives that look like adverbs."""

CLAUSE_OPENERS = CONJUNCTIONS | _words("that which who as than")

FUNCTION_WORDS = (
    DETERMINERS
    | POSSESSIVES
    | SUBJECTS
    | OBJECTS
    | BE
    | HAVE
    | AUXILIARIES_OF_BASE
    | ADVERBS
    | PREPOSITIONS
    | CLAUSE_OPENERS
)
"""Function words: not nouns, adjectives or full verbs."""

AFTER_VERB = (
    (PREPOSITIONS - _words("of"))
    | (CONJUNCTIONS - _words("and or but nor"))
    | ADVERBS
    | _words("to up down out off")
)
"""Words other than an object that may follow a verb."""

VERBS = _words("combine combines invite invites transform transforms insert")
"""Verbs that the lexicon also has as nouns."""

ADJECTIVES_AS_A_RULE = _words("deliberate elaborate consummate")
"""Those of `ADJECTIVES` that are rarely anything else."""

ADJECTIVES_IN_ED = _words(
    "aged allied blessed crooked cursed dogged moped jagged learned legged naked ragged rugged"
    " wicked wretched"
)
"""Adjectives that may have one syllable more than the participle."""

PASTS = _words(
    "ran came went fell rose began stood sat lay took made got grew flew blew broke kept left lost"
    " met said saw told held brought sank hung hid swept slid shook came had were was did"
)
"""Common past tenses without the ending -ed."""

TIMES = _words(
    "one same way time day night kind sort much far moment point morning year case evening"
    " afternoon week month place thing fellow side direction particular very"
)
"""Words that `that` determines: `that day`, `that much`."""
