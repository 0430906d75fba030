# Makes the expectations of tests/core/analysis/test_consensus.py with ape 5.7:
# Rscript consensus.R, in this folder.
library(ape)
set.seed(7)
base <- rcoal(9)
trees <- lapply(1:40, function(number) {
  tree <- base
  # Of two thirds of the trees, some tips are shuffled.
  if (number %% 3) {
    shuffled <- sample(9, 2 + number %% 3)
    tree$tip.label[shuffled] <- tree$tip.label[sample(shuffled)]
  }
  tree
})
class(trees) <- "multiPhylo"
write.tree(trees, "samples.nwk")
write.nexus(trees, file = "samples.nex")
parts <- prop.part(trees)
labels <- attr(parts, "labels")
lines <- mapply(function(part, count) {
  paste(c(count, sort(labels[part])), collapse = " ")
}, parts, attr(parts, "number"))
writeLines(lines, "clades.txt")
writeLines(c(
  write.tree(consensus(trees, p = 0.5, rooted = TRUE)),
  write.tree(consensus(trees, p = 1, rooted = TRUE))
), "consensus.txt")
