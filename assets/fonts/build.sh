#!/bin/sh
# Rebuilds the two font subsets from Noto Sans CJK (Debian: fonts-noto-cjk and
# python3-fonttools). The same sources give the same bytes.
#
# What stays in: every Han character of GB 2312, CJK and full-width
# punctuation, the blanks a Chinese run may be shaped with, and a few signs of
# number formats. No other ASCII: what is missing here falls through to Fyne's
# own face of the same style, so Latin, digits and mono keep their look.
set -eu
cd "$(dirname "$0")"
src=${NOTO_CJK_DIR:-/usr/share/fonts/opentype/noto}
py=${PYTHON:-/usr/bin/python3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$py" - >"$tmp/unicodes" <<'PY'
han = set()
for hi in range(0xB0, 0xF8):
    for lo in range(0xA1, 0xFF):
        try:
            han.add(ord(bytes((hi, lo)).decode("gb2312")))
        except UnicodeDecodeError:
            pass
more = set(range(0x3000, 0x3040)) | set(range(0xFF00, 0xFFE7))
more |= {0x20, 0xA0, 0x2002}  # U+2002 lends its glyph to the thin space below
more |= {ord(c) for c in "≤≥−≈√"}
print(",".join("%04X" % c for c in sorted(han | more)))
PY

SOURCE_DATE_EPOCH=1643241600
export SOURCE_DATE_EPOCH
for style in Regular Bold; do
	out=RentgenHan-$style.otf
	"$py" -m fontTools.subset "$src/NotoSansCJK-$style.ttc" --font-number=2 \
		--unicodes-file="$tmp/unicodes" --output-file="$tmp/$out" \
		--layout-features= --no-hinting --desubroutinize --notdef-outline \
		--name-IDs='*' --drop-tables+=vhea,vmtx,VORG,BASE,DSIG
	"$py" - "$tmp/$out" "$out" "$style" <<'PY'
import sys
from fontTools.ttLib import TTFont

src, dst, style = sys.argv[1:]
f = TTFont(src, recalcTimestamp=False)
family = "Rentgen Han"
names = {1: family, 2: style, 3: family + " " + style + " 1", 4: family + " " + style,
         6: "RentgenHan-" + style, 16: family, 17: style}
table = f["name"]
keep = [r for r in table.names if r.nameID in (0, 5, 13, 14)]
table.names = keep
for nid, text in names.items():
    table.setName(text, nid, 3, 1, 0x409)
table.setName("A subset of Noto Sans CJK SC " + style + ", changed and renamed under the SIL OFL 1.1", 10, 3, 1, 0x409)
# Noto has no U+2009: the en space becomes one of a sixth of an em.
thin = 166
for table in f["cmap"].tables:
    if 0x2002 in table.cmap:
        glyph = table.cmap.pop(0x2002)
        table.cmap[0x2009] = glyph
cff = f["CFF "].cff
chars = cff.topDictIndex[0].CharStrings[glyph]
chars.decompile()
chars.program = [thin - chars.private.nominalWidthX, "endchar"]
f["hmtx"][glyph] = (thin, 0)
cff.fontNames[0] = "RentgenHan-" + style
top = cff.topDictIndex[0]
top.FamilyName, top.FullName, top.Weight = family, family + " " + style, style
f.save(dst)
PY
done
ls -l RentgenHan-*.otf
