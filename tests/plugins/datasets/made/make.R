# Files as R, ape, Matrix, foreign and haven write them, and what these programs read from them.
# Run: Rscript make.R FOLDER, after make.sh, whose files are read here as well, by ape. What is
# expected is written to expected_r.json, by functions of R, not by hcbench.

suppressMessages({library(ape); library(Matrix); library(foreign); library(haven)})
arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments)) setwd(arguments[1])

animals <- data.frame(
  length = c(1.5, 2, 46, 85, 240, 70, 12.25, 31),
  weight = c(0.003, 0.1, 4000, 20000, 300000, 6000, 25, 900.5),
  legs = c(6, 6, 4, 4, 4, 4, 4, 2),
  kind = factor(c("insect", "insect", "mammal", "mammal", "mammal", "mammal", "mammal", "bird")),
  row.names = c("ant", "bee", "cat", "dog", "elk", "fox", "gerbil", "Dr. Hen's")
)
numbers <- as.matrix(animals[, 1:3])
incomplete <- animals
incomplete[3, "length"] <- NA
incomplete[5, "kind"] <- NA

# ---- JSON without a package ----------------------------------------------------------------------

text <- function(x) encodeString(as.character(x), quote = '"')
array_of <- function(parts) paste0("[", paste(parts, collapse = ","), "]")
number <- function(x) vapply(x, format, "", digits = 12, scientific = FALSE)
vector_json <- function(x) if (is.numeric(x)) array_of(number(x)) else array_of(text(x))
matrix_json <- function(x) array_of(apply(x, 1, function(row) array_of(number(row))))

entries <- character()
# An expectation: what is typed behind the name, names, numbers, distances, labels.
expect <- function(file, typed = "", names = NULL, vectors = NULL, distances = NULL, labels = NULL,
                   similarity = NULL, features = NULL, heights = NULL) {
  fields <- c(sprintf('"file": %s', text(file)), sprintf('"typed": %s', text(typed)))
  if (!is.null(names)) fields <- c(fields, sprintf('"names": %s', vector_json(names)))
  if (!is.null(features)) fields <- c(fields, sprintf('"features": %s', vector_json(features)))
  if (!is.null(vectors)) fields <- c(fields, sprintf('"vectors": %s', matrix_json(vectors)))
  if (!is.null(distances)) fields <- c(fields, sprintf('"distances": %s', matrix_json(distances)))
  if (!is.null(similarity)) fields <- c(fields, sprintf('"similarity": %s', matrix_json(similarity)))
  if (!is.null(labels)) fields <- c(fields, sprintf('"labels": %s', vector_json(labels)))
  if (!is.null(heights)) fields <- c(fields, sprintf('"heights": %s', matrix_json(heights)))
  entries <<- c(entries, paste0("{", paste(fields, collapse = ", "), "}"))
}

printed <- function(file, x, ...) writeLines(capture.output(print(x, ...)), file)

# ---- Tables --------------------------------------------------------------------------------------

write.csv(animals, "r_write_csv.csv")
back <- read.csv("r_write_csv.csv", row.names = 1)
expect("r_write_csv.csv", "labels=[kind]", rownames(back), as.matrix(back[, 1:3]), labels = back$kind)

write.csv(numbers, "r_numbers.csv")
back <- read.csv("r_numbers.csv", row.names = 1)
expect("r_numbers.csv", "", rownames(back), as.matrix(back))

write.csv(numbers, "r_no_row_names.csv", row.names = FALSE)
expect("r_no_row_names.csv", "", NULL, as.matrix(read.csv("r_no_row_names.csv")))

write.csv(data.frame(animal = rownames(animals), animals), "r_named_column.csv", row.names = FALSE)
back <- read.csv("r_named_column.csv")
expect("r_named_column.csv", "names=animal,labels=[kind]", back$animal, as.matrix(back[, 2:4]),
       labels = back$kind)

write.csv2(animals, "r_write_csv2.csv")
back <- read.csv2("r_write_csv2.csv", row.names = 1)
expect("r_write_csv2.csv", "labels=[kind]", rownames(back), as.matrix(back[, 1:3]), labels = back$kind)

write.table(animals, "r_write_table.txt")
back <- read.table("r_write_table.txt", header = TRUE)
expect("r_write_table.txt", "labels=[kind]", rownames(back), as.matrix(back[, 1:3]), labels = back$kind)

write.table(animals, "r_tabs.tsv", sep = "\t", quote = FALSE)
back <- read.delim("r_tabs.tsv", quote = "")
expect("r_tabs.tsv", "labels=[kind]", rownames(back), as.matrix(back[, 1:3]), labels = back$kind)

write.table(animals, "r_col_names_na.tsv", sep = "\t", col.names = NA)
back <- read.delim("r_col_names_na.tsv", row.names = 1)
expect("r_col_names_na.tsv", "labels=[kind]", rownames(back), as.matrix(back[, 1:3]),
       labels = back$kind)

write.table(numbers, "r_bare.txt", row.names = FALSE, col.names = FALSE)
expect("r_bare.txt", "header=false", NULL, as.matrix(read.table("r_bare.txt")))

write.csv(incomplete, "r_missing.csv")
back <- read.csv("r_missing.csv", row.names = 1)
kept <- back[complete.cases(back), ]
expect("r_missing.csv", "labels=[kind],missing=drop", rownames(kept), as.matrix(kept[, 1:3]),
       labels = kept$kind)

printed("r_printed_frame.txt", animals[-8, ])
back <- read.table("r_printed_frame.txt", header = TRUE)
expect("r_printed_frame.txt", "labels=[kind]", rownames(back), as.matrix(back[, 1:3]),
       labels = back$kind)

connection <- gzfile("r_write_csv.csv.gz", "w")
write.csv(animals, connection)
close(connection)
back <- read.csv("r_write_csv.csv.gz", row.names = 1)
expect("r_write_csv.csv.gz", "labels=[kind]", rownames(back), as.matrix(back[, 1:3]),
       labels = back$kind)

# ---- Distances and similarities ------------------------------------------------------------------

d <- dist(log1p(numbers))
square <- as.matrix(d)
write.csv(square, "r_dist.csv")
back <- as.matrix(read.csv("r_dist.csv", row.names = 1, check.names = FALSE))
expect("r_dist.csv", "distance=true", rownames(back), distances = back)

write.csv(square[c(3, 1, 2, 8, 7, 5, 4, 6), ], "r_dist_rows_shuffled.csv")
back <- as.matrix(read.csv("r_dist_rows_shuffled.csv", row.names = 1, check.names = FALSE))
expect("r_dist_rows_shuffled.csv", "distance=true", rownames(back),
       distances = back[, rownames(back)])

write.table(square, "r_dist.txt")
back <- as.matrix(read.table("r_dist.txt", check.names = FALSE))
expect("r_dist.txt", "distance=true", rownames(back), distances = back)

write.csv2(square, "r_dist_csv2.csv")
back <- as.matrix(read.csv2("r_dist_csv2.csv", row.names = 1, check.names = FALSE))
expect("r_dist_csv2.csv", "distance=true", rownames(back), distances = back)

long <- as.data.frame(as.table(square))
write.csv(long, "r_dist_as_table.csv")
write.csv(long, "r_dist_as_table_bare.csv", row.names = FALSE)
back <- xtabs(Freq ~ Var1 + Var2, read.csv("r_dist_as_table.csv"))
back <- unclass(back)[rownames(square), rownames(square)]
expect("r_dist_as_table.csv", "distance=true", rownames(back), distances = back)
expect("r_dist_as_table_bare.csv", "distance=true", rownames(back), distances = back)

triangle <- square
triangle[upper.tri(triangle)] <- NA
write.csv(triangle, "r_dist_triangle.csv", na = "")
write.csv(triangle, "r_dist_triangle_na.csv")
expect("r_dist_triangle.csv", "distance=true", rownames(square), distances = square)
expect("r_dist_triangle_na.csv", "distance=true", rownames(square), distances = square)

# Printed distances: rounded to 7 decimals, names without blanks; of 14 items in two blocks of columns.
short <- dist(log1p(numbers[-8, ]))
printed("r_dist_printed.txt", short)
printed("r_dist_printed_diagonal.txt", short, diag = TRUE)
printed("r_dist_printed_upper.txt", short, diag = TRUE, upper = TRUE)
rounded <- round(as.matrix(short), 7)
for (file in c("r_dist_printed.txt", "r_dist_printed_diagonal.txt", "r_dist_printed_upper.txt"))
  expect(file, "distance=true", rownames(rounded), distances = rounded)
set.seed(3)
many <- matrix(round(rnorm(14 * 2), 3), 14, dimnames = list(paste0("item", 1:14), NULL))
many <- dist(many)
printed("r_dist_printed_wrapped.txt", many)
expect("r_dist_printed_wrapped.txt", "distance=true", attr(many, "Labels"),
       distances = round(as.matrix(many), 8))
unnamed <- dist(unname(log1p(numbers)))
printed("r_dist_printed_unnamed.txt", unnamed)
expect("r_dist_printed_unnamed.txt", "distance=true", NULL, distances = round(as.matrix(unnamed), 7))
write.csv(as.matrix(unnamed), "r_dist_unnamed.csv")
expect("r_dist_unnamed.csv", "distance=true", NULL, distances = as.matrix(unnamed))

similar <- cor(t(log1p(numbers)))
write.csv(similar, "r_cor.csv")
back <- as.matrix(read.csv("r_cor.csv", row.names = 1, check.names = FALSE))
expect("r_cor.csv", "similarity=true", rownames(back), similarity = back)

dput(d, "r_dput_dist.txt")
dput(animals, "r_dput_frame.txt")
saveRDS(animals, "r_save.rds")
save(animals, file = "r_save.RData")

# ---- Sparse matrices -----------------------------------------------------------------------------

sparse <- Matrix(numbers * (numbers > 5), sparse = TRUE)
invisible(writeMM(sparse, "r_writeMM.mtx"))
writeLines(rownames(animals), "r_rows.txt")
writeLines(as.character(animals$kind), "r_kinds.txt")
back <- as.matrix(readMM("r_writeMM.mtx"))
expect("r_writeMM.mtx", "names='r_rows.txt',labels='r_kinds.txt'", rownames(animals), back,
       labels = animals$kind)

# ---- Other statistics programs -------------------------------------------------------------------

survey <- data.frame(
  person = c("p1", "p2", "p3", "p4", "p5", "p6"),
  age = c(31, 42, 27, 64, 55, 38),
  trust = labelled(c(1, 2, 3, 1, 2, 3), c(never = 1, sometimes = 2, always = 3)),
  segment = labelled(c(2, 1, 2, 1, 2, 1), c(buyer = 1, visitor = 2))
)
write_sav(survey, "r_haven.sav")
write_dta(survey, "r_haven.dta")
back <- as_factor(read_sav("r_haven.sav"))
expect("r_haven.sav", "names=person,labels=[segment],ordinal={trust=[never,sometimes,always]}",
       back$person, cbind(back$age, as.integer(back$trust) - 1), labels = back$segment)
back <- as_factor(read_dta("r_haven.dta"))
expect("r_haven.dta", "names=person,labels=[segment],ordinal={trust=[never,sometimes,always]}",
       back$person, cbind(back$age, as.integer(back$trust) - 1), labels = back$segment)
write.dta(data.frame(animal = rownames(animals), animals), "r_foreign.dta", version = 10)
back <- read.dta("r_foreign.dta")
expect("r_foreign.dta", "names=animal,labels=[kind]", back$animal, as.matrix(back[, 2:4]),
       labels = back$kind)
write.dta(data.frame(animal = rownames(animals), animals), "r_foreign_7.dta")
write_xpt(data.frame(animal = rownames(animals), animals[, 1:3]), "r_haven.xpt")

# ---- Hierarchies ---------------------------------------------------------------------------------

hc <- hclust(d, "average")
heights <- as.matrix(cophenetic(hc))[hc$labels, hc$labels]
write.csv(hc$merge, "r_hclust_merge.csv")
write.csv(cbind(hc$merge, hc$height), "r_hclust_heights.csv")
write.table(cbind(hc$merge, hc$height), "r_hclust_bare.csv", sep = ",", row.names = FALSE,
            col.names = FALSE)
write.csv(data.frame(hc$merge, height = hc$height), "r_hclust_frame.csv", row.names = FALSE)
writeLines(hc$labels, "r_hclust_labels.txt")
write.csv(data.frame(label = hc$labels, order = hc$order), "r_hclust_order.csv", row.names = FALSE)
write.csv(cutree(hc, 3), "r_cutree.csv")
phylo <- as.phylo(hc)
write.tree(phylo, "r_as_phylo.nwk")
write.nexus(phylo, file = "r_write_nexus.nex")
write.tree(phylo, "r_as_phylo")
set.seed(1)
several <- c(chain = rcoal(5), balanced = rcoal(5), third = rcoal(5))
write.tree(several, "r_several.nwk")
write.nexus(several, file = "r_several.nex")
coph <- cophenetic.phylo(phylo)[hc$labels, hc$labels]
for (file in c("r_as_phylo.nwk", "r_write_nexus.nex", "r_as_phylo"))
  expect(file, "tree", gsub(" ", "_", phylo$tip.label),
         heights = cophenetic.phylo(phylo))
for (file in c("r_hclust_heights.csv", "r_hclust_bare.csv", "r_hclust_frame.csv"))
  expect(file, "tree,names=r_hclust_labels.txt", hc$labels, heights = heights)
for (which in names(several)) {
  one <- several[[which]]
  expect("r_several.nex", sprintf("tree=%s", which), one$tip.label, heights = cophenetic.phylo(one))
}

# ---- What ape reads from the files of PHYLIP and MrBayes -----------------------------------------

strict <- function(file) {
  lines <- readLines(file)[-1]
  rows <- lapply(substring(lines, 11), function(line) scan(text = line, quiet = TRUE))
  square <- matrix(0, length(lines), length(lines))
  for (i in seq_along(rows)) square[i, seq_along(rows[[i]])] <- rows[[i]]
  if (any(lengths(rows) < length(lines))) square <- square + t(square)
  list(names = trimws(substr(lines, 1, 10)), square = square)
}
for (file in c("phylip_dnadist.phy", "phylip_dnadist_lower.phy", "phylip_dnadist_outfile")) {
  back <- strict(file)
  expect(file, "distance=true", back$names, distances = back$square)
}
for (file in c("phylip_upgma_outtree", "phylip_kitsch.tree", "mrbayes.con.tre")) {
  one <- if (startsWith(file, "mr")) read.nexus(file) else read.tree(file)
  expect(file, "tree", one$tip.label, heights = cophenetic.phylo(one))
}
sample <- read.nexus("mrbayes.t")
for (which in c("gen.200", "gen.1000")) {
  one <- sample[[which]]
  expect("mrbayes.t", sprintf("tree=%s", which), one$tip.label, heights = cophenetic.phylo(one))
}
one <- sample[[length(sample)]]
expect("mrbayes.t", sprintf("tree=%d", length(sample)), one$tip.label, heights = cophenetic.phylo(one))

writeLines(c("[", paste(entries, collapse = ",\n"), "]"), "expected_r.json")
cat(R.version.string, "ape", as.character(packageVersion("ape")), "Matrix",
    as.character(packageVersion("Matrix")), "foreign", as.character(packageVersion("foreign")),
    "haven", as.character(packageVersion("haven")), "\n")
