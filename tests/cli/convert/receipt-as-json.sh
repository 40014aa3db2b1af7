cat >t.csv <<'X'
# origin: 2020-04-01 08:00:00
job_id,submit,duration,gpus,user,vc,name,model,gpu_type,cpus,mem_bytes,limit,state,attempts,starts,start,end,gpu_milli,total_steps,batch_size
a,0,100.25,2,ann,red,train,lstm,T4|V100,8,1048576,200,,,,5,105.25,,1200,64
b,1.5,30,1,bob,blue,,,,,,,killed,10/20,60/90,60,110,500,,
c,2,7,12,ann,red,"say ""hi"", x",bert,,,,5,failed,,,,,,300,32
X
orrery convert t.csv --to batsim -o t.json --json 2>/dev/null
