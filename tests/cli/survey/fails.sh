# A file of one's own; one of two expectations doesn't hold: exit 1.
cat >mine.yaml <<'END'
schema: orrery.claim/1
system: mine
survey: "3.1.1"
source: nowhere
claim: First in, first out waits for nothing.
policy: fifo
baseline: sjf
case:
  cluster: nodes=1,gpus=1
jobs: |
  submit,gpus,duration
  0,1,100
  1,1,50
  2,1,10
expect:
  - ratio >= 1
  - policy.wait_first.max == 0
END
orrery survey mine.yaml
