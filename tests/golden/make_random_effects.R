# Random-effects pooling by metafor (REML, Knapp and Hartung as modified: test = "adhoc"), on data sets of published meta-analyses.
#
#     Rscript make_random_effects.R > random_effects.json

suppressMessages(library(metafor))

# as exactly as Fisher scoring converges
reml <- function(yi, vi) {
  for (threshold in c(1e-13, 1e-10, 1e-8)) for (step in c(1, 0.5, 0.1)) {
    control <- list(threshold = threshold, maxiter = 20000, stepadj = step)
    fit <- try(rma(yi, vi, method = "REML", test = "adhoc", control = control), silent = TRUE)
    if (!inherits(fit, "try-error")) return(fit)
  }
  stop("no fit")
}

pooled <- function(yi, vi) {
  keep <- is.finite(yi) & is.finite(vi)
  yi <- as.numeric(yi[keep]); vi <- as.numeric(vi[keep])
  fit <- reml(yi, vi)
  k <- length(yi)
  profile <- confint(fit, control = list(tol = 1e-12))$random["tau^2", ]
  outlying <- sapply(seq_len(k), function(i) {
    if (k < 4) return(NaN)
    others <- reml(yi[-i], vi[-i])
    t <- (yi[i] - others$b[1]) / sqrt(vi[i] + others$tau2 + others$se^2)
    2 * pt(-abs(t), k - 3)
  })
  list(y = yi, v = vi, mean = fit$b[1], se = fit$se, interval = c(fit$ci.lb, fit$ci.ub),
       tau2 = fit$tau2, tau2_interval = c(profile[["ci.lb"]], profile[["ci.ub"]]), i2 = fit$I2, q = fit$QE, p = fit$QEp,
       weights = weights(fit), outlying = outlying)
}

sets <- list(
  bcg = escalc(measure = "RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = dat.bcg),
  hine1989 = escalc(measure = "RD", ai = ai, n1i = n1i, ci = ci, n2i = n2i, data = dat.hine1989),
  normand1999 = escalc(measure = "MD", m1i = m1i, sd1i = sd1i, n1i = n1i, m2i = m2i, sd2i = sd2i, n2i = n2i,
                       data = dat.normand1999),
  raudenbush1985 = dat.raudenbush1985,
  nielweise2007 = escalc(measure = "OR", ai = ai, n1i = n1i, ci = ci, n2i = n2i, data = dat.nielweise2007),
  li2007 = escalc(measure = "OR", ai = ai, n1i = n1i, ci = ci, n2i = n2i, data = dat.li2007),
  molloy2014 = escalc(measure = "ZCOR", ri = ri, ni = ni, data = dat.molloy2014),
  bangertdrowns2004 = dat.bangertdrowns2004,
  hackshaw1998 = dat.hackshaw1998,
  hart1999 = escalc(measure = "IRR", x1i = x1i, t1i = t1i, x2i = x2i, t2i = t2i, data = dat.hart1999)
)

number <- function(x) ifelse(is.finite(x), sprintf("%.17g", x), "null")
list_of <- function(x) if (length(x) == 1) number(x) else paste0("[", paste(number(x), collapse = ", "), "]")
written <- sapply(names(sets), function(name) {
  found <- pooled(sets[[name]]$yi, sets[[name]]$vi)
  fields <- sapply(names(found), function(field) sprintf("    \"%s\": %s", field, list_of(found[[field]])))
  sprintf("  \"%s\": {\n%s\n  }", name, paste(fields, collapse = ",\n"))
})
cat("{\n", paste(written, collapse = ",\n"), "\n}\n", sep = "")
