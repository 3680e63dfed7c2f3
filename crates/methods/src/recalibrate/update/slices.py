    def meets(row, k):  # an empty text is a missing value
        text = str(row[c["columns"].index(k["column"])])
        if "values" in k:
            return text in k["values"]
        if "missing" in k or not text:
            return "missing" in k and not text
        return k.get("from", -np.inf) <= float(text) < k.get("below", np.inf)

    own = zip(c["slices"], c["shifts"])
    inside = [(np.array([all(meets(row, k) for k in slice["conditions"]) for row in g]), shift) for slice, shift in own]
    return 1 / (1 + np.exp(-(c["a"] * logit(s) + c["b"] + sum(mask * shift for mask, shift in inside))))
