#!/bin/sh
# Files as PHYLIP 3.697 and MrBayes 3.2.7 write them. Run: sh make.sh FOLDER, with both on the path.
set -e
cd "${1:-.}"
cat > sequences.txt <<'END'
   6   40
Formica ruACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT
Apis mellAACGTACGTACGTACGTACGTACGAACGTACGTACGTACGA
Felis catuACGAACGTTCGTACCTACGTACGTAGGTACGTACGTACCT
Canis lupuACGAACGTTCGTACCTACGTTCGTAGGTACGTCCGTACCT
Alces alceACGAACGTTCGAACCTACGTTCGTAGGAACGTCCGTTCCT
Vulpes vulACGAACGTTCGTACCTACGTTCGTAGGTACGTCCGTACCA
END
fresh() { rm -f infile intree outfile outtree; }
fresh; cp sequences.txt infile
printf 'Y\n' | phylip dnadist > /dev/null
cp outfile phylip_dnadist.phy
fresh; cp sequences.txt infile
printf 'L\nY\n' | phylip dnadist > /dev/null
cp outfile phylip_dnadist_lower.phy
cp outfile phylip_dnadist_outfile
fresh; cp phylip_dnadist.phy infile
printf 'N\nY\n' | phylip neighbor > /dev/null
cp outtree phylip_upgma_outtree
cp outfile phylip_upgma_outfile
fresh; cp phylip_dnadist.phy infile
printf 'Y\n' | phylip neighbor > /dev/null
cp outtree phylip_neighbor.tree
fresh; cp phylip_dnadist.phy infile
printf 'Y\n' | phylip kitsch > /dev/null
cp outtree phylip_kitsch.tree
fresh; cat phylip_kitsch.tree phylip_upgma_outtree > intree
printf 'R\nY\n' | phylip consense > /dev/null
cp outtree phylip_consense.tree
fresh

cat > mrbayes.nex <<'END'
#NEXUS
begin data;
  dimensions ntax=6 nchar=40;
  format datatype=dna;
  matrix
Formica_rufa    ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT
Apis_mellifera  ACGTACGTACGTACGTACGTACGAACGTACGTACGTACGA
Felis_catus     ACGAACGTTCGTACCTACGTACGTAGGTACGTACGTACCT
Canis_lupus     ACGAACGTTCGTACCTACGTTCGTAGGTACGTCCGTACCT
Alces_alces     ACGAACGTTCGAACCTACGTTCGTAGGAACGTCCGTTCCT
Vulpes_vulpes   ACGAACGTTCGTACCTACGTTCGTAGGTACGTCCGTACCA
  ;
end;
begin mrbayes;
  set autoclose=yes nowarn=yes seed=1 swapseed=1;
  prset brlenspr=clock:uniform;
  mcmc ngen=2000 samplefreq=200 printfreq=1000 nruns=1 nchains=1 filename=mb;
  sumt filename=mb nruns=1;
end;
END
mb mrbayes.nex > mrbayes.log 2>&1
mv mb.con.tre mrbayes.con.tre
mv mb.t mrbayes.t 2>/dev/null || mv mb.run1.t mrbayes.t
mv mb.trprobs mrbayes.trprobs
rm -f mb.* mrbayes.log
