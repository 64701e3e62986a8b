"""What a word tells of the field of a text. A grammar names the fields in which it is at home."""

from __future__ import annotations

_FIELDS = {
    "finance": "dollars shares share bond bonds yield yields fund funds market markets stock stocks"
    " revenue quarter earnings eps margin margins dividend price prices index fed ecb treasury"
    " investors trading traded analyst analysts rally spread spreads basis loan mortgage inflation"
    " guidance ebitda capex ipo",
    "sports": "game games team win wins won beat scored goal goals lap overs match matches season"
    " coach player innings tied lead led final finals league points yards race champion tennis cup"
    " fans set sets halftime overtime playoffs playoff quarterback pitcher inning defeat defeated"
    " seed semifinal series knicks lakers record tiebreak wicket wickets yds tds td qb passing rushing pts reb"
    " ast rebounds assists marathon runner quarterbacks receiver touchdown touchdowns shortstop homer",
    "medicine": "patient patients dose mg tablet tablets blood pressure doctor nurse pulse clinic"
    " pain prescribed iv labs chart biopsy diagnosis hospital pt hx dx rx vitals bp hr fever"
    " insulin ct mri pediatric allergies admitted discharge exam htn hpi ekg bmi pmh sob dm2 copd nausea symptoms er fda drug"
    " drugs trial trials vaccine clinical surgery therapy",
    "aviation": "runway wind altimeter cleared tower flight squawk taxi visibility metar pilot"
    " approach landing heading descend climb knots ils departure aircraft boeing airbus",
    "transit": "train trains bus gate seat seats row platform route exit stop departs departing"
    " arrives flight boarding airport fare station terminal track depot ferry",
    "cooking": "cup cups sugar flour oven bake butter tsp tbsp salt oil pan dough recipe simmer"
    " stir cook preheat cream vanilla milk garlic onion chicken servings whisk boil",
    "shop": "size sale pack qty sku color stock ship shipping aisle brand shirt deal order refund"
    " warranty cart checkout sizes fits item",
    "code": "function returns error file build install commit server port http api run python"
    " config null branch library flag log debug info warn retrying json yaml sql docker git regex"
    " variable string class method compile kubernetes pod pods cpu bash script repo endpoint latency"
    " throughput uptime cache qps",
    "maths": "equation roots prove sum factor integral matrix theorem square root divide multiply"
    " probability equals triangle minus solve solution derivative function angle set polynomial"
    " equations numerator compute simplify slope",
    "science": "decay redshift galaxy star telescope sample protein cells cell acid species orbit"
    " mass isotope ion reaction molecule laser wavelength gene genes assay catalyst enzyme",
    "law": "court statute section act amendment clause judge docket plaintiff defendant jury case"
    " counsel justice treaty code subsection paragraph appeal pursuant",
    "history": "king queen war emperor pope reign dynasty century empire treaty henry louis battle"
    " ruled born died ancient medieval kingdom",
    "chat": "lol omg gg btw tbh ngl u ur idk brb pls thx haha lmao yo dude rn",
    "address": "street avenue suite apt floor desk corner zip lives moved office road apartment"
    " flat building mail address st ave rd blvd",
    "academic": "paper pages vol journal cited study authors chapter edition thesis review essay"
    " preprint doi et al pp fig table reference eds press university",
    "weather": "highs lows winds rain snow storm forecast temperature gusts cloudy degrees lat"
    " elevation humidity sunny showers hurricane",
    "politics": "votes ballots voted poll election senate house vote congress candidates senator"
    " democrats republicans district governor",
    "scripture": "isaiah genesis psalm psalms matthew luke john mark verse verses corinthians"
    " gospel exodus romans proverbs quran surah bible leviticus hebrews",
    "home": "timer washer dryer thermostat alarm sensor battery appt reminder vet dentist pickup"
    " groceries chores",
    "chess": "knight bishop rook pawn castling castles checkmate gambit defense chess check mate board opening center",
    "craft": "stitch stitches yarn needle needles knit purl row rows cast crochet chain seam hem"
    " gauge skein worsted sleeve neckline facing",
    "gaming": "level quest boss loot spell guild dungeon armor sword mana raid amulet potion stats"
    " ring staff npc lv paladin mage wizard hp mp xp dps buff",
    "media": "tv vhf radio aired airs broadcast channel channels news watch watched episode episodes"
    " show network cable stream streaming podcast premiere finale tune",
    "music": "bars beat tempo chord chords key minor major bpm verse chorus op sonata symphony",
}
DOMAINS = {word: field for field, words in _FIELDS.items() for word in words.split()}
"""The field by the word, in lower case."""
