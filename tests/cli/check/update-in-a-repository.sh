cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
command -v git >/dev/null || { echo "no git" >&2; exit 77; }
export GIT_AUTHOR_DATE="1800000000 +0000" GIT_COMMITTER_DATE="1800000000 +0000" SOURCE_DATE_EPOCH=1800000000
git init -q . && git add tiny.csv
git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q -m one
sed -i "s/jct.mean: 4971.75/jct.mean: 5000/" b.yaml
orrery check b.yaml --update -m "for fun" --case fifo
grep -c "commit: \"$(git rev-parse HEAD)\"" b.yaml
