def scored(calibrator, z, p):  # P(positive), or that of the class with the largest logit
    if calibrator["view"] == "positive":
        return p[:, calibrator["labels"].index(calibrator["positive"]) if calibrator["positive"] else 1]
    return p[np.arange(len(p)), np.argmax(z, axis=1)]


